"""Whatever a source answers, its collector reads it or says in a SourceError what is wrong: a few here, 100,000 in `make hostile`."""

import os
import sys

import pytest
from tests.conftest import missing
from tests.hostile.sources.campaign import MOST_MEMORY_MIB, Campaign
from tests.product.running import tell

DOCUMENTS = int(os.environ.get("DOCUMENTS") or 400)
SEED = int(os.environ.get("SEED") or 1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_hostile_documents_end_in_data_or_in_a_source_error_in_time_and_bounded_memory() -> None:
    if not os.access("/proc/self/clear_refs", os.W_OK):
        missing("The peak of memory cannot be reset here (/proc/self/clear_refs).")
    report = Campaign(SEED).run(DOCUMENTS)
    tell(f"seed {SEED}\n  {report}")
    assert report.documents >= DOCUMENTS
    assert not report.surprises, report.surprises[0]
    assert not report.late, report.late
    assert report.memory_mib <= MOST_MEMORY_MIB
