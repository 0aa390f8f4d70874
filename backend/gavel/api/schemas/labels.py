"""Labels of objects, what a guest reports, owners, and which label means what."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from gavel.api.inputs import Text
from gavel.api.schemas.common import Out
from gavel.domain.labels import LONGEST_NAME

LabelKindName = Literal["attribute", "tag"]


class LabelOut(Out):
    """A custom attribute with its value, or a tag: of a vCenter as category and name, of an array as key and value."""

    kind: LabelKindName
    name: str
    value: str


class OwnerOut(Out):
    """`name`: the object's own label, else that of most of its VMs. `share`: of its VMs with that value, 0 to 1, those without any counted
    too. `owners`: how many different values."""

    name: str
    share: float
    owners: int


class GuestFactsOut(Out):
    """Null and empty: not reported. Addresses and DNS name come from VMware Tools, the primary address first.

    `folder`: from the datacenter down. `resource_pool`: from below the cluster's own pool, which is "Resources".
    """

    dns_name: str | None
    ip_addresses: list[str]
    tools_state: Literal["running", "not_running", "not_installed"] | None
    folder: str | None
    resource_pool: str | None
    bios_uuid: str | None
    instance_uuid: str | None


class LabelNameOut(Out):
    """A name of labels. `objects`: that have one; `values`: different ones, without regard to case."""

    name: str
    kinds: list[LabelKindName]
    objects: int
    values: int


class LabelValueOut(Out):
    value: str
    objects: int


class LabelMeaningsOut(Out):
    """The names of the labels that mean an owner and an application, without regard to case."""

    owner: str
    application: str


class LabelMeaningsIn(BaseModel):
    """As in `LabelMeaningsOut`; null: as it is."""

    model_config = ConfigDict(extra="forbid")

    owner: Annotated[Text, Field(min_length=1, max_length=LONGEST_NAME)] | None = None
    application: Annotated[Text, Field(min_length=1, max_length=LONGEST_NAME)] | None = None
