"""The contract of `collectors/contract.py`, of every registered kind, at the lab over the real protocols. Faults are caused, not mocked.

A new vendor is in it by its line in the registry. What it takes is a source of its kind in the lab.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from pydantic import SecretStr
from tests.ports import reserve_port

from gavel.admin.settings_form import secret_fields
from gavel.collectors.contract import Collector
from gavel.collectors.registry import COLLECTORS
from gavel.db.write.entities import ENTITY_TABLES
from gavel.db.write.inventory_rows import rows_by_kind
from gavel.domain.errors import (
    AuthenticationError,
    CertificateError,
    ProtocolError,
    SourceError,
    SourceUnreachableError,
)
from gavel.domain.inventory import Inventory
from gavel.domain.samples import SampleBatch
from gavel.domain.source import SourceKind, Stream
from gavel_lab.lab import Lab, create_lab
from gavel_lab.sources import Announcement, serve_lab

Row = tuple[str, int, int, tuple[int, ...]]
Reads = dict[str, Callable[[], object]]
# Settings as the lab calls them → as Gavel does.
LAB_WORDS = {"tls_sha256": "fingerprint_sha256"}
# The newest samples may still come, and clocks differ: a window that ended then is complete.
SETTLED = timedelta(minutes=6)


@dataclass
class LabSource:
    """A source of one kind in the running lab. Its collectors are closed after the test."""

    lab: Lab
    name: str
    kind: SourceKind
    settings: Mapping[str, Any]
    opened: list[Collector] = field(default_factory=list)

    def open(self, **changed: Any) -> Collector:
        kind = COLLECTORS[self.kind]
        self.opened.append(kind.open(kind.settings.model_validate({**self.settings, **changed})))
        return self.opened[-1]

    @contextmanager
    def fault(self, kind: str, **parameters: Any) -> Iterator[None]:
        """In force for every request until the block ends."""
        fault = self.lab.faults.add({"source": self.name, "kind": kind, **parameters})
        try:
            yield
        finally:
            self.lab.faults.remove(fault.id)


Measured = list[tuple[LabSource, Collector, Stream, set[Row]]]


@pytest.fixture(scope="module")
def lab() -> Lab:
    return create_lab()


@pytest.fixture(scope="module")
def announced(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Announcement]]:
    """What the lab serves, over TLS on loopback."""
    served = serve_lab(lab, 0, tmp_path_factory.mktemp("lab"))
    yield served.announcement
    served.stop()


@pytest.fixture(scope="module", params=list(COLLECTORS), ids=str)
def kind(request: pytest.FixtureRequest) -> SourceKind:
    """Each registered kind."""
    found: SourceKind = request.param
    return found


@pytest.fixture
def sources(kind: SourceKind, lab: Lab, announced: list[Announcement]) -> Iterator[list[LabSource]]:
    """The lab's sources of each registered kind."""
    with opened(kind, lab, announced) as found:
        yield found


@contextmanager
def opened(kind: SourceKind, lab: Lab, announced: list[Announcement]) -> Iterator[list[LabSource]]:
    found = [_source(lab, kind, each) for each in announced if each["kind"] == kind]
    if not found:
        pytest.fail(
            f"{kind}: the lab serves no source of this kind, so nothing holds its collector to the contract. "
            "Simulate one in backend/gavel_lab and announce it in gavel_lab/sources.py."
        )
    yield found
    for source in found:
        for collector in source.opened:
            collector.close()


def _source(lab: Lab, kind: SourceKind, announcement: Announcement) -> LabSource:
    given = announcement["settings"]
    assert isinstance(given, dict)
    settings: dict[str, Any] = {LAB_WORDS.get(str(name), str(name)): value for name, value in given.items()}
    return LabSource(lab, str(announcement["name"]), kind, {"address": announcement["address"], **settings})


@pytest.fixture
def source(sources: list[LabSource]) -> LabSource:
    """One of each kind, for what is the same whatever it holds."""
    return sources[0]


@pytest.fixture(scope="module")
def until() -> datetime:
    return datetime.now(UTC).replace(microsecond=0) - SETTLED


def window(collector: Collector, stream: Stream, until: datetime) -> tuple[datetime, datetime]:
    """Long enough for two samples."""
    return until - 2.5 * collector.streams[stream].interval, until


def rows(batches: Iterable[SampleBatch]) -> set[Row]:
    """Key, end in µs, length in seconds and all values of every row."""
    found: list[Row] = []
    for batch in batches:
        columns = [column.tolist() for column in batch.values.values()]
        keys = [batch.keys[index] for index in batch.key_index]
        values = zip(*columns, strict=True)
        found += zip(keys, batch.ended_at_us.tolist(), batch.interval_s.tolist(), values, strict=True)
    assert len(found) == len({row[:2] for row in found}), "an object has two samples that end at once"
    return set(found)


def names_of(inventory: Inventory, stream: Stream) -> set[str]:
    """The keys that samples of a stream may have: of its objects, and of those that are counted as unknown with a reason."""
    listed = {kind.table.name: list(each) for kind, each in rows_by_kind(inventory)}
    objects = listed[ENTITY_TABLES[stream].name]
    if stream is not Stream.PATH:
        return {row["key"] for row in objects}
    named = {f"{row['key'].partition('/')[0]}/{row['counter'] or row['name']}" for row in objects}
    return named | {row["key"] for row in listed["unknown_path"]}


# --- what is read ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured(kind: SourceKind, lab: Lab, announced: list[Announcement], until: datetime) -> Iterator[Measured]:
    """What each source has in a window of each of its streams. Every stream is measured by one of the kind's sources at least."""
    with opened(kind, lab, announced) as sources:
        collectors = [(source, source.open()) for source in sources]
        found = [
            (source, collector, stream, samples)
            for source, collector in collectors
            for stream in collector.streams
            if (samples := rows(collector.samples(stream, *window(collector, stream, until))))
        ]
        missing = {stream for _, collector in collectors for stream in collector.streams} - {
            stream for _, _, stream, _ in found
        }
        assert not missing, f"none of the lab's sources of this kind has samples of {', '.join(missing)}"
        yield found


def test_objects_of_samples_are_in_the_inventory_or_counted_as_unknown(measured: Measured) -> None:
    for source, collector, stream, samples in measured:
        names = names_of(collector.inventory(), stream)
        assert {row[0] for row in samples} - names == set(), f"{source.name}: {stream}"


def test_a_window_read_again_or_in_parts_has_the_same_samples(measured: Measured, until: datetime) -> None:
    for source, collector, stream, whole in measured:
        since, end = window(collector, stream, until)
        for reader in (collector, source.open()):
            assert rows(reader.samples(stream, since, end)) == whole, f"{source.name}: {stream}"
        # A sample ends where one part ends and the next begins: it belongs to the part that it ends.
        middle = datetime.fromtimestamp(min(row[1] for row in whole) / 1e6, UTC)
        first, second = (rows(collector.samples(stream, *part)) for part in ((since, middle), (middle, end)))
        assert first == {row for row in whole if row[1] <= middle.timestamp() * 1e6}, f"{source.name}: {stream}"
        assert first
        assert second == whole - first, f"{source.name}: {stream}"


def test_samples_end_after_the_beginning_of_their_window_and_not_after_its_end(
    measured: Measured, until: datetime
) -> None:
    for source, collector, stream, samples in measured:
        since, end = (instant.timestamp() * 1e6 for instant in window(collector, stream, until))
        assert [row for row in samples if not since < row[1] <= end] == [], f"{source.name}: {stream}"
        ends = {row[1] for row in samples}
        first, last = (datetime.fromtimestamp(ended / 1e6, UTC) for ended in (min(ends), max(ends)))
        assert first < last
        between = {row[1] for row in rows(collector.samples(stream, first, last))}
        assert between == ends - {min(ends)}, f"{source.name}: {stream}"


def test_a_window_without_samples_yields_nothing(source: LabSource, until: datetime) -> None:
    collector = source.open()
    for stream in collector.streams:
        assert rows(collector.samples(stream, until, until)) == set(), stream
        tomorrow = until + timedelta(days=1)
        assert rows(collector.samples(stream, tomorrow, tomorrow + timedelta(minutes=1))) == set(), stream


def test_the_clock_of_the_source_is_read_once(source: LabSource) -> None:
    subjects = [reading.subject for reading in source.open().clocks()]
    assert subjects.count(None) == 1
    assert len(subjects) == len(set(subjects))


def test_a_sound_source_passes_its_preflight_and_says_who_it_is(source: LabSource) -> None:
    found = source.open().preflight()
    assert found.passed, found
    assert found.identity


# --- what goes wrong ------------------------------------------------------------------------------------------------------

Changed = dict[str, Any]
Cause = Callable[[LabSource], AbstractContextManager[Changed]]


@contextmanager
def refused_connection(_: LabSource) -> Iterator[Changed]:
    yield {"address": f"127.0.0.1:{reserve_port()}"}


@contextmanager
def wrong_credential(source: LabSource) -> Iterator[Changed]:
    """Every secret backwards: as long as the right one, of the same letters."""
    settings = COLLECTORS[source.kind].settings.model_validate(dict(source.settings))
    secrets = {name: getattr(settings, name) for name in secret_fields(type(settings))}
    given = {name: value.get_secret_value() for name, value in secrets.items() if isinstance(value, SecretStr)}
    assert given, f"{source.kind}: the lab gives no secret that could be wrong"
    yield {name: text[::-1] for name, text in given.items()}


@contextmanager
def untrusted_certificate(_: LabSource) -> Iterator[Changed]:
    yield {"fingerprint_sha256": None}


@contextmanager
def another_certificate(source: LabSource) -> Iterator[Changed]:
    with source.fault("wrong_certificate"):
        yield {}


@contextmanager
def closed_connection(source: LabSource) -> Iterator[Changed]:
    """After the first bytes of every body."""
    with source.fault("cut_body", after_bytes=5):
        yield {}


FAULTS: Mapping[str, tuple[Cause, tuple[type[SourceError], ...]]] = {
    "refused connection": (refused_connection, (SourceUnreachableError,)),
    "wrong credential": (wrong_credential, (AuthenticationError,)),
    "untrusted certificate": (untrusted_certificate, (CertificateError,)),
    "another certificate": (another_certificate, (CertificateError,)),
    "closed connection": (closed_connection, (SourceUnreachableError, ProtocolError)),
}
EVERY_FAULT = pytest.mark.parametrize(("cause", "errors"), FAULTS.values(), ids=FAULTS.keys())


def reads(collector: Collector, until: datetime) -> Reads:
    """Everything that asks the source for something, by name."""

    def samples(stream: Stream) -> set[Row]:
        return rows(collector.samples(stream, *window(collector, stream, until)))

    streams: Reads = {stream: partial(samples, stream) for stream in collector.streams}
    return {"inventory": collector.inventory, "clocks": collector.clocks, **streams}


@EVERY_FAULT
def test_a_fault_ends_every_read_in_an_error_that_says_its_kind(
    source: LabSource, until: datetime, cause: Cause, errors: tuple[type[SourceError], ...]
) -> None:
    with cause(source) as changed:
        collector = source.open(**changed)
        for name, read in reads(collector, until).items():
            with pytest.raises(SourceError) as caught:
                read()
            assert isinstance(caught.value, errors), f"{name}: {caught.value!r}"
        collector.close()
        collector.close()


@EVERY_FAULT
def test_a_fault_is_a_failed_check_of_the_preflight(
    source: LabSource, cause: Cause, errors: tuple[type[SourceError], ...]
) -> None:
    with cause(source) as changed:
        collector = source.open(**changed)
        found = collector.preflight()
        assert not found.passed, f"{errors}: {found}"
        collector.close()


def test_a_connection_that_closes_in_the_midst_of_a_session_costs_an_error_and_no_sample(
    source: LabSource, until: datetime
) -> None:
    collector = source.open()
    sound = {name: read() for name, read in reads(collector, until).items()}
    for name, read in reads(collector, until).items():
        with source.fault("cut_body", after_bytes=5), pytest.raises(SourceError):
            read()
        if name != "clocks":
            assert read() == sound[name], name


def test_closing_raises_nothing_whatever_came_before(source: LabSource, until: datetime) -> None:
    unused, used, cut_off = source.open(), source.open(), source.open()
    unused.close()
    unused.close()
    used.clocks()
    used.close()
    used.close()
    cut_off.clocks()
    with source.fault("status", status=500):
        cut_off.close()
        cut_off.close()
