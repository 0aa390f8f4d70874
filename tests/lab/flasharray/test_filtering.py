"""The filter language: what it means, that every tree survives being written down, and that nonsense is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel_lab.flasharray import filtering
from gavel_lab.flasharray.errors import ApiError
from gavel_lab.flasharray.filtering import And, Compare, Contains, Exists, Field, Filter, Not, Or

ROW: dict[str, Any] = {
    "name": "vvol-1",
    "pod": {"id": None, "name": None},
    "volume_group": {"id": "7", "name": "group"},
    "reads_per_sec": 7,
    "ratio": 0.5,
    "destroyed": False,
    "wwns": ["A", "B"],
    "iqns": [],
    "arrays": [{"status": "online"}, {"status": "offline"}],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name='vvol-1'", True),
        ('name="vvol-1"', True),
        ("name=('a', 'vvol-1')", True),
        ("name != ('a','b')", True),
        ("name='vvol'", False),
        ("contains(name,'vol')", True),
        ("contains(name, 'x')", False),
        ("reads_per_sec>5 and contains(name, 'vvol')", True),
        ("reads_per_sec>=7 and reads_per_sec<=7", True),
        ("reads_per_sec<7 or ratio>0.4", True),
        ("not(pod)", True),
        ("pod", False),
        ("volume_group", True),
        ("volume_group.name='group'", True),
        ("pod.name='p'", False),
        ("pod.name!='p'", True),
        ("pod.name>'a'", False),
        ("destroyed=false", True),
        ("destroyed=true", False),
        ("destroyed=0", False),
        ("reads_per_sec='7'", False),
        ("wwns='B'", True),
        ("wwns", True),
        ("iqns", False),
        ("arrays.status='offline'", True),
        ("arrays[any].status='offline'", True),
        ("arrays[all].status='offline'", False),
        ("arrays[all].status=('offline','online')", True),
        ("name='x' or name='vvol-1' and reads_per_sec=8", False),
        ("(name='x' or name='vvol-1') and reads_per_sec=7", True),
        ("not name='x' and not name='y'", True),
    ],
)
def test_a_filter_accepts_what_it_says(text: str, expected: bool) -> None:
    assert filtering.parse(text).matches(ROW) is expected


names = st.sampled_from(["name", "pod.name", "reads_per_sec", "ratio", "destroyed", "wwns", "arrays[all].status"])
fields = st.builds(Field, names)
texts = st.text(max_size=8)
values = st.one_of(texts, st.integers(-(10**9), 10**9), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
comparisons = st.one_of(
    st.builds(Compare, fields, st.sampled_from(["=", "!="]), st.lists(values, min_size=1, max_size=3).map(tuple)),
    st.builds(Compare, fields, st.sampled_from(["<", "<=", ">", ">="]), st.tuples(values)),
    st.builds(Contains, fields, texts),
    st.builds(Exists, fields),
)
trees = st.recursive(
    comparisons,
    lambda inner: st.one_of(st.builds(Not, inner), st.builds(And, inner, inner), st.builds(Or, inner, inner)),
    max_leaves=12,
)


def written(tree: Filter) -> str:
    """The tree as a caller would write it."""
    match tree:
        case And():
            return f"({written(tree.left)} and {written(tree.right)})"
        case Or():
            return f"({written(tree.left)} or {written(tree.right)})"
        case Not():
            return f"not({written(tree.inner)})"
        case Contains():
            return f"contains({tree.field.text}, {literal(tree.part)})"
        case Compare():
            items = ",".join(literal(value) for value in tree.values)
            return f"{tree.field.text}{tree.operation}{items if len(tree.values) == 1 else f'({items})'}"
        case Exists():
            return tree.field.text


def literal(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return repr(value)


@given(trees)
def test_a_written_filter_reads_back_as_itself(tree: Filter) -> None:
    assert filtering.parse(written(tree)) == tree


@given(trees, trees)
def test_the_laws_of_logic_hold_for_every_row(left: Filter, right: Filter) -> None:
    both, either = left.matches(ROW) and right.matches(ROW), left.matches(ROW) or right.matches(ROW)
    assert And(left, right).matches(ROW) is both
    assert Or(left, right).matches(ROW) is either
    assert Not(And(left, right)).matches(ROW) is Or(Not(left), Not(right)).matches(ROW)


@given(fields, st.lists(values, min_size=1, max_size=3).map(tuple))
def test_not_equal_is_the_opposite_of_equal(field: Field, wanted: tuple[Any, ...]) -> None:
    assert Compare(field, "=", wanted).matches(ROW) is not Compare(field, "!=", wanted).matches(ROW)


@given(st.text(alphabet="namepod.reads_persec ()'\"=!<>,[]anyornotcontains0123456789\\-", max_size=60))
def test_any_text_is_a_filter_or_a_refusal_that_names_the_filter(text: str) -> None:
    tree, refusal = tree_or_refusal(text)
    assert (tree is None) is not (refusal is None)
    if refusal is None:
        assert tree
        assert filtering.parse(written(tree)) == tree
    else:
        assert (refusal.status, refusal.contexts) == (400, ("filter",))


def tree_or_refusal(text: str) -> tuple[Filter | None, ApiError | None]:
    try:
        return filtering.parse(text), None
    except ApiError as refusal:
        return None, refusal


@pytest.mark.parametrize(
    "text",
    ["", " ", "name=", "name='a", "(name='a'", "name=vol", "and", "not", "contains(name)", "name='a' name='b'",
     "name=()", "name<('a','b')", "name=('a' 'b')", "=1", "name=1e", "name==1", "'name'='a'", "(" * 200, "not " * 200,
     "name='" + "a" * 10_000 + "'"],
)  # fmt: skip
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="Invalid filter"):
        filtering.parse(text)
