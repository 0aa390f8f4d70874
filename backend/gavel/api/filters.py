"""Filters of lists in a query: by address, DNS name, label, owner, application, folder, cluster, vCenter, array and vendor."""

from ipaddress import ip_network
from typing import Annotated

from fastapi import Depends, HTTPException, Query

from gavel.api.deps import AppDep
from gavel.api.inputs import INT32_MAX, TEXT_PATTERN
from gavel.db.engine import reading
from gavel.db.queries.object_filter import LabelFilter, ObjectFilter
from gavel.db.queries.owners import label_meanings
from gavel.domain.labels import LONGEST_NAME, LONGEST_VALUE, LabelKind, Meaning

_MOST_LABELS = 5
# Of a name and a value with what stands between or before them: whatever is offered can be asked for.
_LONGEST = LONGEST_NAME + LONGEST_VALUE + 1
_LABEL = "name=value, name= for any value, or a part of the value; without regard to case"
_PART = "a part, or = and the whole, without regard to case; of objects other than VMs: of a VM on them"
Part = Annotated[str, Query(max_length=_LONGEST, pattern=TEXT_PATTERN, description=_PART)]
NamePart = Annotated[
    str, Query(max_length=_LONGEST, pattern=TEXT_PATTERN, description="a part of its name, or = and the whole")
]
Labels = Annotated[
    list[Annotated[str, Query(max_length=_LONGEST, pattern=TEXT_PATTERN)]],
    Query(max_length=_MOST_LABELS, description=_LABEL),
]


def object_filter(
    app: AppDep,
    ip: Annotated[
        str,
        Query(
            max_length=60, pattern=TEXT_PATTERN, description="a part of an address, or a network such as 10.1.0.0/16"
        ),
    ] = "",
    dns: Part = "",
    tag: Labels = [],  # noqa: B006 - FastAPI copies it
    attribute: Labels = [],  # noqa: B006
    label: Labels = [],  # noqa: B006
    owner: Annotated[
        str,
        Query(
            max_length=LONGEST_VALUE + 1,
            pattern=TEXT_PATTERN,
            description="a part of the owner, or = and the whole, by the label that means so",
        ),
    ] = "",
    application: Annotated[
        str,
        Query(
            max_length=LONGEST_VALUE + 1,
            pattern=TEXT_PATTERN,
            description="a part of the application, or = and the whole, by the label that means so",
        ),
    ] = "",
    folder: Part = "",
    cluster: NamePart = "",
    vcenter: NamePart = "",
    array: Annotated[
        str,
        Query(
            max_length=_LONGEST,
            pattern=TEXT_PATTERN,
            description="a part of the name of an array that holds its data, or = and the whole",
        ),
    ] = "",
    source: Annotated[int | None, Query(ge=1, le=INT32_MAX, description="only of this vCenter or array")] = None,
    vendor: Annotated[
        str,
        Query(
            max_length=200,
            pattern=TEXT_PATTERN,
            description="a part, or = and the whole, as hosts name that of a device",
        ),
    ] = "",
) -> ObjectFilter:
    labels = [
        *(_label(text.strip(), LabelKind.TAG) for text in tag if text.strip()),
        *(_label(text.strip(), LabelKind.ATTRIBUTE) for text in attribute if text.strip()),
        *(_label(text.strip(), None) for text in label if text.strip()),
    ]
    meant = {Meaning.OWNER: owner.strip(), Meaning.APPLICATION: application.strip()}
    if any(meant.values()):
        with reading(app.engine) as connection:
            names = label_meanings(connection)
        labels += [LabelFilter(names[meaning], value, is_part=True) for meaning, value in meant.items() if value]
    address, network = _address(ip.strip())
    return ObjectFilter(
        ip=address,
        network=network,
        dns=dns.strip(),
        folder=folder.strip(),
        cluster=cluster.strip(),
        vendor=vendor.strip(),
        vcenter=vcenter.strip(),
        array=array.strip(),
        source_id=source,
        labels=tuple(labels),
    )


FilterDep = Annotated[ObjectFilter, Depends(object_filter)]


def _label(text: str, kind: LabelKind | None) -> LabelFilter:
    name, equals, value = text.partition("=")
    if not equals:
        return LabelFilter(None, text, kind, is_part=True)
    return LabelFilter(name.strip() or None, value.strip() or None, kind)


def _address(text: str) -> tuple[str, str]:
    """A part of an address, or a network."""
    if "/" not in text:
        return text, ""
    try:
        return "", str(ip_network(text, strict=False))
    except ValueError as error:
        raise HTTPException(422, f"ip: {text!r} is no network; write it as 10.1.0.0/16 or fd00::/8.") from error
