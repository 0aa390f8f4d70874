"""The last net under what a source sends: whatever its answer makes go wrong is a SourceError, and never a crash of Gavel's."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime

import structlog

from gavel.collectors.contract import Collector, StreamPlan
from gavel.domain.errors import GavelError, ProtocolError
from gavel.domain.inventory import Inventory
from gavel.domain.samples import SampleBatch
from gavel.domain.source import ClockReading, Preflight, Stream, Usage
from gavel.domain.text import clean_text, clean_texts
from gavel.egress.network import Address, parse_address
from gavel.egress.tls import network_error

log = structlog.get_logger(__name__)


@contextmanager
def only_source_errors(source: Address) -> Iterator[None]:
    """Around everything that reads `source`: raises only SourceErrors and what the settings are to blame for.

    What else is caught here was foreseen by nobody, so its trace goes to the log of level debug.
    """
    try:
        yield
    except GavelError:
        raise
    except OSError as error:
        raise network_error(source, error) from error
    except Exception as error:
        log.debug("an answer that was not foreseen", source=str(source), exc_info=error)
        raise ProtocolError(
            f"{source}: an answer that no such source sends ({type(error).__name__}: {clean_text(str(error), 200)}). "
            "Check that nothing answers in its place; if not, please report it with the version of the source."
        ) from error


class CheckedCollector:
    """Any collector, held to its contract: it raises only SourceErrors, its keys are texts that can be stored, its `close` never raises."""

    def __init__(self, collector: Collector, address: str) -> None:
        self._collector = collector
        self._address = parse_address(address)

    @property
    def streams(self) -> Mapping[Stream, StreamPlan]:
        return self._collector.streams

    @property
    def usage(self) -> Usage:
        return self._collector.usage

    def left_out(self, stream: Stream) -> tuple[str, ...]:
        return self._collector.left_out(stream)

    def preflight(self) -> Preflight:
        with only_source_errors(self._address):
            return self._collector.preflight()

    def clocks(self) -> tuple[ClockReading, ...]:
        with only_source_errors(self._address):
            return self._collector.clocks()

    def inventory(self) -> Inventory:
        with only_source_errors(self._address):
            return self._collector.inventory()

    def samples(
        self, stream: Stream, since: datetime, until: datetime, asks: Callable[[str], bool] | None = None
    ) -> Iterator[SampleBatch]:
        with only_source_errors(self._address):
            for batch in self._collector.samples(stream, since, until, asks):
                yield self._with_clean_keys(batch)

    def close(self) -> None:
        with suppress(Exception):
            self._collector.close()

    def _with_clean_keys(self, batch: SampleBatch) -> SampleBatch:
        keys = clean_texts(batch.keys)
        if keys is batch.keys:
            return batch
        if len(set(keys)) < len(keys):
            raise ProtocolError(
                f"{self._address}: objects of {batch.stream} whose ids differ only in what cannot be stored; none of them is read."
            )
        return replace(batch, keys=keys)
