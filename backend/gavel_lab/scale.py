"""How big the environment is. The default is the small one every story fits in; bigger ones keep it and add around it."""

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class Scale:
    """Counts of what is *added* to the default environment (2 arrays, 2 vCenters, 6 hosts, 17 datastores, 56 VMs).

    Added clusters are alike: `hosts_per_cluster` hosts that all see `datastores_per_cluster` datastores of one extent,
    dealt round over the arrays; `vms` are dealt round over the datastores and their hosts; `bare_volumes` belong to
    machines that are no ESXi hosts, one load each.
    """

    arrays: int = 0
    vcenters: int = 0
    clusters: int = 0
    hosts_per_cluster: int = 10
    datastores_per_cluster: int = 40
    vms: int = 0
    disks_per_vm: int = 3
    bare_volumes: int = 4

    def __post_init__(self) -> None:
        """Refuse what cannot be built, with the reason."""
        if min(self.hosts_per_cluster, self.datastores_per_cluster, self.disks_per_vm) < 1:
            raise ValueError("hosts_per_cluster, datastores_per_cluster and disks_per_vm are at least 1")
        if self.datastores_per_cluster > 200:
            raise ValueError("datastores_per_cluster is at most 200: higher LUNs are kept for protocol endpoints")
        if self.vms and not self.clusters:
            raise ValueError(f"vms={self.vms} need clusters to run on: add clusters=1 or more")

    @classmethod
    def parse(cls, text: str) -> "Scale":
        """A name (`default`, `large`), `name=count,...` over `default`, or both: `large,vms=4000`.

        Raises ValueError that names the known words.
        """
        scale = DEFAULT
        for word in text.split(","):
            name, equals, count = word.strip().partition("=")
            if not equals and name in NAMED:
                scale = NAMED[name]
            elif count.isdigit() and name in {field.name for field in fields(cls)}:
                scale = replace(scale, **{name: int(count)})
            else:
                known = ", ".join(f"{field.name}=COUNT" for field in fields(cls))
                raise ValueError(f"{word!r}: expected {', '.join(NAMED)} or {known}")
        return scale


DEFAULT = Scale()
LARGE = Scale(arrays=2, vcenters=1, clusters=10, vms=2000, bare_volumes=1600)
NAMED = {"default": DEFAULT, "large": LARGE}
