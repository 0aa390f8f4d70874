"""The listener as agents reach it: over HTTP, into a real database. 204 is a commit; whatever is wrong harms nobody else."""

import base64
import gzip
import itertools
import json
import random
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import httpx2
import pytest
from sqlalchemy import Engine, text
from starlette.testclient import TestClient

from gavel.admin.guests import make_guest_token, revoke
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.guest_tokens import token_uses
from gavel.domain.guests import RefusalReason
from gavel.listener import app as listener_app
from gavel.listener.app import build
from gavel.listener.body import MOST_BYTES
from gavel.listener.limits import Rates

S = 1_000_000_000
URL = "/api/v2/write?org=site&bucket=guests"


@pytest.fixture(scope="module")
def engine(module_postgres_url: str) -> Iterator[Engine]:
    made = open_engine(module_postgres_url, Role.WORKER)
    yield made
    made.dispose()


@pytest.fixture(scope="module")
def client(module_postgres_url: str) -> Iterator[TestClient]:
    with TestClient(
        build(open_engine(module_postgres_url, Role.WORKER), apart_s=0), raise_server_exceptions=False
    ) as made:
        yield made


_names = iter(range(10**6))


class Agent:
    """Telegraf in a guest of its own, with a token of its own unless it is given another's."""

    def __init__(
        self, client: TestClient, engine: Engine, *, token: str | None = None, vms: tuple[str, ...] = ()
    ) -> None:
        number = next(_names)
        self.name, self.host = f"token-{number}", f"vm-{number}"
        self.client, self.engine = client, engine
        self.token = token or make_guest_token(engine, self.name, vms, datetime.now(UTC)).text
        self.at_ns = time.time_ns() - 20 * S
        self.reads = 0

    def line(self, after_s: int = 10, *, disk: str = "sda", ops: int = 100, ms: int = 50, tags: str = "") -> str:
        """So many reads of so many ms in all, so long after the line before."""
        self.at_ns += after_s * S
        self.reads += ops
        reads = self.reads
        return (
            f"diskio,host={self.host},name={disk}{tags} reads={reads}i,writes=0i,read_bytes={reads * 4096}i,write_bytes=0i,"
            f"read_time={reads * ms // 100}i,write_time=0i,weighted_io_time={reads * ms // 100}i {self.at_ns}"
        )

    def push(self, body: str | bytes, *, url: str = URL, **headers: str) -> int:
        given = {"authorization": f"Token {self.token}", **headers}
        return self.answer(body, url=url, headers=given).status_code

    def answer(self, body: str | bytes, *, url: str = URL, headers: Mapping[str, str]) -> httpx2.Response:
        return self.client.post(url, content=body, headers=dict(headers))

    def samples(self) -> list[tuple[object, ...]]:
        query = text(
            "SELECT s.read_ops, s.read_latency_us, s.interval_s, s.queue_time_ms, s.data_quality FROM guest_disk_sample s"
            " JOIN guest_disk d ON d.id = s.entity_id JOIN guest g ON g.id = d.guest_id WHERE g.host_name = :host ORDER BY s.ts"
        )
        with transaction(self.engine) as connection:
            return [tuple(row) for row in connection.execute(query, {"host": self.host})]

    def refused(self) -> dict[RefusalReason, int]:
        with transaction(self.engine) as connection:
            (mine,) = (use for use in token_uses(connection) if use.token.name == self.name)
        return {each.reason: each.lines for each in mine.refused}


@pytest.fixture
def agent(client: TestClient, engine: Engine) -> Agent:
    return Agent(client, engine)


def test_write_two_readings_make_an_interval_that_is_stored_when_204_comes(agent: Agent) -> None:
    assert agent.push(agent.line()) == 204
    assert agent.samples() == []
    assert agent.push(agent.line(ops=1000)) == 204
    assert agent.samples() == [(1000, 500, 10, 500, 1)]
    assert agent.refused() == {}


@pytest.mark.parametrize("scheme", ["Token {}", "Bearer {}", "bearer {}"])
def test_write_takes_the_token_as_agents_send_it_packed_or_not(agent: Agent, scheme: str) -> None:
    lines = "\n".join(agent.line() for _ in range(3))
    given = scheme.format(agent.token)
    assert (
        agent.push(gzip.compress(lines.encode(), mtime=0), **{"content-encoding": "gzip", "authorization": given})
        == 204
    )
    assert len(agent.samples()) == 2


def test_write_reads_the_precision_of_the_request(agent: Agent) -> None:
    for _ in range(2):
        line = agent.line()
        seconds = line.rsplit(" ", 1)[0] + f" {agent.at_ns // S}"
        assert agent.push(seconds, url=URL + "&precision=s") == 204
    assert [interval for _, _, interval, _, _ in agent.samples()] == [10]
    assert agent.push(agent.line(), url=URL + "&precision=fortnight") == 400


def test_write_a_replay_changes_nothing(agent: Agent) -> None:
    body = "\n".join(agent.line() for _ in range(4))
    assert agent.push(body) == agent.push(body) == 204
    assert len(agent.samples()) == 3
    # The newest line is there already, the others are older than it.
    assert agent.refused() == {RefusalReason.REPEATED: 1, RefusalReason.OUT_OF_ORDER: 3}


def test_write_goes_on_with_the_stored_reading_after_a_start(agent: Agent, module_postgres_url: str) -> None:
    assert agent.push(agent.line()) == 204
    with TestClient(build(open_engine(module_postgres_url, Role.WORKER), apart_s=0)) as second:
        agent.client = second
        assert agent.push(agent.line(ops=300)) == 204
    assert [ops for ops, *_ in agent.samples()] == [300]


def test_write_a_reset_makes_a_gap_and_no_number(agent: Agent) -> None:
    agent.push(agent.line(ops=5000))
    agent.reads = 0
    agent.push(agent.line(ops=10))
    agent.push(agent.line(ops=20))
    assert [ops for ops, *_ in agent.samples()] == [20]
    assert agent.refused() == {RefusalReason.COUNTER_RESET: 1}


def test_write_counts_out_what_it_does_not_use_and_stores_the_rest(agent: Agent) -> None:
    bad = [
        "cpu,host=x usage=1",
        "diskio,host=x",
        "diskio,host=x,name=sda1 reads=1i,writes=1i",
        "diskio,name=sda reads=1i",
    ]
    assert agent.push("\n".join([agent.line(), *bad, agent.line()])) == 204
    assert len(agent.samples()) == 1
    assert agent.refused() == {
        RefusalReason.UNKNOWN_MEASUREMENT: 1,
        RefusalReason.MALFORMED: 1,
        RefusalReason.NOT_A_DISK: 1,
        RefusalReason.NO_HOST: 1,
    }


def test_write_a_line_of_10_megabytes_is_counted_out_and_costs_nobody_else(agent: Agent) -> None:
    long = "diskio,host=x,name=" + "a" * (MOST_BYTES - 5000) + " reads=1i"
    body = "\n".join([agent.line(), long, agent.line()])
    assert len(body) <= MOST_BYTES
    assert agent.push(body) == 204
    assert len(agent.samples()) == 1
    assert agent.refused() == {RefusalReason.TOO_LONG: 1}


def test_write_refuses_what_is_too_large_even_when_it_is_only_so_unpacked(agent: Agent) -> None:
    assert agent.push(b"x" * (MOST_BYTES + 1)) == 413
    for mib in (1, 20):
        bomb = gzip.compress(b" " * (mib * 2**20), mtime=0)
        assert len(bomb) < 100_000
        assert agent.push(bomb, **{"content-encoding": "gzip"}) == 413
    assert agent.push(b"no gzip", **{"content-encoding": "gzip"}) == 400
    assert agent.push(gzip.compress(b"a\n", mtime=0)[:-3], **{"content-encoding": "gzip"}) == 400
    assert agent.push(b"", **{"content-encoding": "br"}) == 400


def test_write_refuses_a_large_body_packed_to_less_than_a_twentieth(agent: Agent) -> None:
    """Random bytes hold a gzip at the wanted ratio: 2 MiB of blanks behind 30 kB of them."""
    noise = "\n".join(f"x{number:08x}" for number in random.Random(1).sample(range(2**32), 6_000))
    bomb = gzip.compress(noise.encode() + b"\n" * (2 * 2**20), mtime=0)
    assert 20 < 2 * 2**20 / len(bomb) < 100
    answer = agent.answer(bomb, url=URL, headers={"authorization": f"Token {agent.token}", "content-encoding": "gzip"})
    assert (answer.status_code, "20 times its size" in answer.json()["message"]) == (413, True)


def test_write_takes_a_batch_of_idle_disks_however_well_it_packs(client: TestClient, engine: Engine) -> None:
    gathered = Agent(client, engine)
    lines = [
        f"diskio,host=idle-{number:05d},name=sda reads=0i,writes=0i,read_bytes=0i,write_bytes=0i,read_time=0i,write_time=0i,"
        f"io_time=0i,weighted_io_time=0i,iops_in_progress=0i,merged_reads=0i,merged_writes=0i {gathered.at_ns}"
        for number in range(1000)
    ]
    body = "\n".join(lines).encode()
    packed = gzip.compress(body, mtime=0)
    assert len(body) / len(packed) > 20
    assert gathered.push(packed, **{"content-encoding": "gzip"}) == 204


def test_token_unknown_or_revoked_is_401(agent: Agent, engine: Engine) -> None:
    assert agent.push(agent.line()) == 204
    revoke(engine, agent.name, datetime.now(UTC))
    agent.client.app.state.listener.tokens.clear()  # type: ignore[attr-defined]  # five seconds later
    answer = agent.answer(agent.line(), headers={"authorization": f"Token {agent.token}"})
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert agent.push(agent.line(), authorization="Token nobody's") == 401
    assert agent.push(agent.line(), authorization="") == 401


def test_token_of_named_vms_writes_for_these_alone(client: TestClient, engine: Engine) -> None:
    mine = Agent(client, engine, vms=("VM-of-mine",))
    mine.host = "vm-OF-mine"
    other = Agent(client, engine, token=mine.token)
    for _ in range(2):
        assert mine.push(mine.line()) == other.push(other.line()) == 204
    assert (len(mine.samples()), len(other.samples())) == (1, 0)
    assert mine.refused() == {RefusalReason.NOT_ALLOWED: 2}


def test_clock_that_is_off_by_hours_is_placed_by_arrival_with_quality_c(agent: Agent) -> None:
    agent.at_ns -= 5 * 3600 * S
    for _ in range(3):
        assert agent.push(agent.line()) == 204
        time.sleep(0.6)  # lines that arrive at once are one reading
    assert [quality for *_, quality in agent.samples()] == [3, 3]
    assert all(interval == 10 for _, _, interval, _, _ in agent.samples())


def test_flood_of_requests_is_put_off_with_the_time_to_come_again() -> None:
    now_s = 0.0
    rates = Rates(lambda: now_s)
    waits = [rates.wait_s(address="192.0.2.1") for _ in range(300)]
    assert waits.index(1) == 200
    assert rates.wait_s(address="192.0.2.2") == 0
    now_s = 1.0
    assert [rates.wait_s(address="192.0.2.1") for _ in range(51)] == [0] * 50 + [1]
    spread = [rates.wait_s(address=f"2001:db8::{n:x}") for n in range(300)]
    assert spread.index(1) == 200, "a machine may have all of its /64 network"


def test_cpu_time_of_a_token_is_limited_as_a_rate() -> None:
    now_s = 0.0
    rates = Rates(lambda: now_s)
    rates.charge_cpu(1, 19.0)
    assert rates.cpu_wait_s(1) == 0
    rates.charge_cpu(1, 4.0)
    assert (rates.cpu_wait_s(1), rates.cpu_wait_s(2)) == (9, 0)
    now_s = 8.9
    assert rates.cpu_wait_s(1) == 1
    now_s = 9.1
    assert rates.cpu_wait_s(1) == 0


def test_cpu_time_of_reading_bodies_is_charged_to_their_token(
    client: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    hungry, other = Agent(client, engine), Agent(client, engine)
    readings = itertools.count(step=7.0)
    monkeypatch.setattr(listener_app, "thread_time", lambda: next(readings))
    # Unpacking and reading a body take 7 s each, also of one that is refused.
    assert hungry.push(hungry.line()) == 204
    assert hungry.push(hungry.line(), url=f"{URL}&precision=eons") == 400
    answer = hungry.answer(hungry.line(), headers={"authorization": f"Token {hungry.token}"})
    assert (answer.status_code, "CPU time" in answer.json()["message"]) == (429, True)
    assert 0 < int(answer.headers["retry-after"]) <= 24
    assert other.push(other.line()) == 204


def test_flood_of_invented_disks_is_counted_out(agent: Agent) -> None:
    lines = [f"diskio,host={agent.host},name=nvme{n}n1 reads=1i,writes=1i {agent.at_ns}" for n in range(600)]
    assert agent.push("\n".join(lines)) == 204
    assert agent.refused() == {RefusalReason.TOO_MANY: 100}


def test_agents_that_push_at_once_each_have_their_intervals(client: TestClient, engine: Engine) -> None:
    agents = [Agent(client, engine) for _ in range(20)]

    def push(agent: Agent) -> list[int]:
        return [agent.push(agent.line()) for _ in range(5)]

    with ThreadPoolExecutor(8) as pool:
        assert {status for statuses in pool.map(push, agents) for status in statuses} == {204}
    assert [len(agent.samples()) for agent in agents] == [4] * 20


def _disk_metrics(host: str, at_ns: int, reads: int) -> str:
    """As the receiver hostmetrics sends them; without writes."""

    def metric(name: str, **by_direction: dict[str, object]) -> dict[str, object]:
        points = [
            {
                "attributes": [
                    {"key": "device", "value": {"stringValue": "sda"}},
                    {"key": "direction", "value": {"stringValue": direction}},
                ],
                "startTimeUnixNano": "1",
                "timeUnixNano": str(at_ns),
                **value,
            }
            for direction, value in by_direction.items()
        ]
        return {"name": name, "sum": {"aggregationTemporality": 2, "isMonotonic": True, "dataPoints": points}}

    metrics = [
        metric("system.disk.operations", read={"asInt": str(reads)}, write={"asInt": "0"}),
        metric("system.disk.operation_time", read={"asDouble": reads / 1000}, write={"asDouble": 0.0}),
    ]
    resource = {"attributes": [{"key": "host.name", "value": {"stringValue": host}}]}
    return json.dumps({"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": metrics}]}]})


def test_metrics_of_opentelemetry_become_intervals(agent: Agent) -> None:
    for reads in (100, 400):
        agent.at_ns += 10 * S
        body = _disk_metrics(agent.host, agent.at_ns, reads)
        assert agent.push(body, url="/v1/metrics", **{"content-type": "application/json"}) == 200
    assert [sample[:3] for sample in agent.samples()] == [(300, 1000, 10)]
    # A request with one group of nothing, and one that ends too early.
    for packed, status in ((b"\x0a\x00", 200), (b"\x0a\x05", 400)):
        assert agent.push(packed, url="/v1/metrics", **{"content-type": "application/x-protobuf"}) == status
    assert agent.push(b"", url="/v1/metrics", **{"content-type": "text/plain"}) == 415
    assert agent.push(b"[1]", url="/v1/metrics", **{"content-type": "application/json"}) == 400


def test_agents_of_influxdb_1_make_their_database_and_write_with_user_and_password(agent: Agent) -> None:
    basic = "Basic " + base64.b64encode(f"gavel:{agent.token}".encode()).decode()
    asked = agent.client.post("/query", data={"q": 'CREATE DATABASE "guests"'}, headers={"authorization": basic})
    assert (asked.status_code, asked.json()) == (200, {"results": [{"statement_id": 0}]})
    for _ in range(2):
        assert agent.push(agent.line(), url="/write?db=guests", authorization=basic) == 204
    assert len(agent.samples()) == 1
    # It reads nothing out, and is for those alone who may push.
    assert agent.client.get("/query?q=SHOW+DATABASES", headers={"authorization": basic}).json() == asked.json()
    refused = agent.client.post("/query", data={"q": 'CREATE DATABASE "guests"'})
    assert (refused.status_code, refused.json()["error"]) == (401, refused.json()["message"])


def test_nothing_but_ingest_answers(client: TestClient) -> None:
    assert client.get("/ping").status_code == 204
    assert client.get("/health").json()["status"] == "pass"
    for path in ("/", "/api/v1/health", "/api/v1/sources", "/docs", "/openapi.json", "/api/v2/query"):
        assert client.get(path).status_code == 404
    assert client.get("/api/v2/write").status_code == 405


def test_an_unusable_database_is_503_and_the_batch_is_kept_by_its_agent(agent: Agent) -> None:
    listener = agent.client.app.state.listener  # type: ignore[attr-defined]
    agent.push(agent.line())
    gone = open_engine("postgresql://127.0.0.1:1/gavel", Role.WORKER)
    kept, listener.writer._engine = listener.writer._engine, gone
    try:
        answer = agent.answer(agent.line(), headers={"authorization": f"Token {agent.token}"})
    finally:
        listener.writer._engine = kept
        gone.dispose()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")


def test_throttled_guesses_keep_no_stored_token_out_of_a_listener_that_just_started(
    module_postgres_url: str, engine: Engine, agent: Agent
) -> None:
    with TestClient(build(open_engine(module_postgres_url, Role.WORKER), apart_s=0)) as fresh:
        wrong = [
            fresh.post(URL, content="", headers={"authorization": f"Token gvg_{n:040d}"}).status_code for n in range(60)
        ]
        assert set(wrong) == {401, 429}
        valid = Agent(fresh, engine, token=agent.token)
        assert valid.push(valid.line()) == 204
        # One that is made meanwhile is in force within a second; one that is revoked opens nothing at once.
        revoke(engine, agent.name, datetime.now(UTC))
        fresh.app.state.listener.tokens.clear()  # type: ignore[attr-defined]
        assert [valid.push(valid.line()) for _ in range(3)] in ([401, 401, 401], [401, 429, 429])


def test_health_asks_the_database_once_however_many_ask(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    asked = 0

    def counted(*_: object) -> None:
        nonlocal asked
        asked += 1

    monkeypatch.setattr("gavel.listener.app.guest_token", counted)
    monkeypatch.setattr("gavel.listener.app._LOOK_KEPT_S", float("inf"))
    client.app.state.listener.looked = None  # type: ignore[attr-defined]
    assert {client.get("/health").status_code for _ in range(20)} == {200}
    assert asked == 1
