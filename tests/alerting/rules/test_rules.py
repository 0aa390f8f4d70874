"""Rules survive the way out and back in, and a mistake is answered with what to write instead."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavel.alerting.rules.file import default_rules, read_rules, write_rules
from gavel.alerting.rules.model import (
    OF_SOURCES,
    AlertSeverity,
    Compared,
    Condition,
    Quantity,
    Rule,
    RuleError,
    RuleMeasure,
    Scope,
    Subject,
)
from gavel.domain.io_path import Direction, Layer, Quality, Segment

MINIMAL = """
rules:
  - key: slow
    name: Slow
    of: vm
    when:
      - latency: total
        at_least: 5 ms
"""


def layers() -> st.SearchStrategy[Layer]:
    return st.sampled_from(list(Layer))


def parts() -> st.SearchStrategy[Layer | Segment]:
    return st.one_of(layers(), st.sampled_from(list(Segment)))


def measures() -> st.SearchStrategy[RuleMeasure]:
    directions = st.sampled_from(list(Direction))
    whole_or_layer = st.one_of(st.none(), layers())
    return st.one_of(
        st.builds(RuleMeasure, st.just(Quantity.LATENCY), st.one_of(st.none(), parts()), directions),
        st.builds(RuleMeasure, st.just(Quantity.SHARE), parts(), directions),
        st.builds(RuleMeasure, st.sampled_from([Quantity.EXCESS, Quantity.BASELINE_RATIO]), whole_or_layer, directions),
        st.builds(
            RuleMeasure,
            st.sampled_from([Quantity.EXCESS_OUTSTANDING, Quantity.QUEUE_UTILIZATION, Quantity.DISAGREEMENT]),
        ),
    )


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    measure = draw(measures())
    most = 1.0 if measure.quantity is Quantity.SHARE else 1e7
    high = draw(st.floats(min_value=1e-6, max_value=most, allow_nan=False))
    low = draw(st.one_of(st.none(), st.floats(min_value=5e-7, max_value=high)))
    return Condition(measure, high, low, draw(st.sampled_from(list(Compared))))


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).filter(str.strip)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    return Rule(
        key=draw(st.from_regex(r"[a-z][a-z0-9_]{0,30}", fullmatch=True)),
        name=draw(NAMES),
        scope=Scope(
            draw(st.sampled_from([subject for subject in Subject if subject is not Subject.SOURCE])),
            tuple(
                draw(st.dictionaries(st.sampled_from(["name", "array", "tag.team", "attribute.Owner"]), NAMES)).items()
            ),
        ),
        conditions=tuple(draw(st.lists(conditions(), min_size=1, max_size=3))),
        for_min=draw(st.integers(0, 1440)),
        keep_firing_min=draw(st.integers(0, 1440)),
        no_data_after_min=draw(st.integers(1, 1440)),
        min_ops=draw(st.integers(30, 10**9)),
        min_quality=draw(st.sampled_from(list(Quality))),
        severity=draw(st.sampled_from(list(AlertSeverity))),
        labels=draw(st.dictionaries(st.from_regex(r"[a-z_]{1,20}", fullmatch=True), NAMES, max_size=3)),
        runbook_url=draw(st.sampled_from(["", "https://wiki.example.org/a?b=c#d"])),
        enabled=draw(st.booleans()),
    )


@settings(max_examples=40)
@given(st.lists(rules(), max_size=5, unique_by=lambda rule: rule.key))
def test_what_is_written_is_read_back_equal(some: list[Rule]) -> None:
    assert read_rules(write_rules(tuple(some))) == tuple(some)


def test_the_rules_that_ship_say_what_the_field_expects() -> None:
    shipped = {rule.key: rule for rule in default_rules()}
    kernel = shipped["kernel_queueing"]
    assert [(one.measure.quantity, one.measure.part, one.at_least) for one in kernel.conditions] == [
        (Quantity.LATENCY, Layer.KERNEL, 300.0),
        (Quantity.SHARE, Layer.KERNEL, 0.2),
    ]
    assert (kernel.for_min, kernel.layer, {one.compared for one in kernel.conditions}) == (
        5,
        Layer.KERNEL,
        {Compared.LOWER},
    )
    assert shipped["san_over_usual"].conditions[0].at_least == 1000.0
    assert shipped["array_twice_usual"].conditions[0].at_least == 2.0
    assert shipped["qos_limit_wait"].layer is Layer.ARRAY
    assert shipped["source_silent"].conditions[0].measure.quantity in OF_SOURCES
    assert all(rule.enabled for rule in shipped.values())
    assert read_rules(write_rules(default_rules())) == default_rules()


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("5 ms", "5", r"'slow'.*at_least: 5 is no amount; write a number and ms or"),
        ("5 ms", "-5 ms", "is no amount"),
        ("5 ms", "0 ms", "above 0"),
        ("5 ms", ".nan ms", "is no amount"),
        ("latency: total", "latency: kernal", "'kernal' is none of total"),
        ("latency: total\n        at_least: 5 ms", "share: total\n        at_least: 5 %", "name the layer or segment"),
        ("latency: total\n        at_least: 5 ms", "sample_age: source\n        at_least: 5 s", "of sources only"),
        ("latency: total", "excess: array_qos", "not of segments"),
        ("of: vm", "of: vms", "'vms' is none of vm, datastore"),
        ("key: slow", "key: Slow VM", "small letters"),
        ("key: slow", "kee: slow", "kee: no such field"),
        ("name: Slow", "name: 7", "put it in quotes"),
        ("of: vm", "of: vm\n    for: 90 s", "90 s"),
        ("of: vm", "of: vm\n    for: 1.5 min", "whole minutes"),
        ("of: vm", "of: vm\n    min_ops: 5", "30 or more"),
        ("of: vm", "of: vm\n    where: {clutser: a}", "clutser: choose name, array"),
        ("of: vm", "of: vm\n    labels: {a-b: c}", "a-b: a label's name"),
        ("of: vm", "of: vm\n    runbook_url: javascript:alert(1)", "start it with https"),
        ("of: vm", "of: vm\n    enabled: please", "write true or false"),
        ("at_least: 5 ms", "at_least: 5 ms\n        recover_below: 6 ms", "not above at_least"),
        ("at_least: 5 ms", "at_least: 5 ms\n        recover_below: 0 ms", "recover_below: give a number above 0"),
        ("rules:", "rulez:", "one entry `rules`"),
        ("- key", "- *key", "aliases"),
        ("of: vm", "of: [vm", "Not readable as YAML"),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_with_what_to_write(old: str, new: str, answer: str) -> None:
    assert old in MINIMAL
    with pytest.raises(RuleError, match=answer):
        read_rules(MINIMAL.replace(old, new))


def test_every_mistake_is_told_at_once() -> None:
    text = MINIMAL.replace("5 ms", "5") + MINIMAL.partition("rules:")[2].replace("of: vm", "of: moon")
    with pytest.raises(RuleError) as caught:
        read_rules(text)
    assert len(caught.value.problems) == 2


def test_a_key_used_twice_is_refused() -> None:
    with pytest.raises(RuleError, match="used twice"):
        read_rules(MINIMAL + MINIMAL.partition("rules:")[2])


def test_a_scope_covers_by_name_array_and_tag() -> None:
    scope = Scope(Subject.DATASTORE, (("name", "PROD-*"), ("tag.team", "sql")))
    facts = {"name": ("prod-01",), "array": ("fa-1", "fa-2"), "tag.team": ("web", "SQL")}
    assert scope.covers(Subject.DATASTORE, facts)
    assert not scope.covers(Subject.VM, facts)
    assert not scope.covers(Subject.DATASTORE, {**facts, "name": ("test-01",)})
    assert not scope.covers(Subject.DATASTORE, {"name": ("prod-01",)})


def test_a_rule_put_together_wrongly_is_refused_too() -> None:
    with pytest.raises(RuleError, match="1 to 3 conditions"):
        replace(default_rules()[0], conditions=())
