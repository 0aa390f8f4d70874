"""Receivers that fail in every way there is, and what has to become of a message to each of them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.alerting.receivers import HttpReceiver, Says, http_receiver
from tests.collectors.tls import make_identity
from tests.ports import reserve_port

METADATA = "http://169.254.169.254/latest/meta-data/"
HUGE = b"x" * (10 * 1024 * 1024)


@dataclass(frozen=True)
class Fault:
    """What a receiver does, and what has to become of the message: the attempt's result, its state, and the channel's.

    says None: nobody is there.
    """

    says: Says | None
    result: str
    state: str
    is_on: bool = True
    is_silent: bool = False
    is_strange_in_tls: bool = False

    @property
    def status(self) -> int | None:
        """What the log has of the answer; None of what no answer came of in time."""
        is_heard = self.says is not None and not self.is_silent and not self.is_strange_in_tls
        return self.says.status if self.says is not None and is_heard else None


def faults() -> dict[str, Fault]:
    """Every fault by name."""
    return {
        "500": Fault(Says(500), "retry", "pending"),
        "slow": Fault(Says(200), "retry", "pending", is_silent=True),
        "429 in seconds": Fault(Says(429, headers={"Retry-After": "3600"}), "retry", "pending"),
        "429 until a date": Fault(
            Says(429, headers={"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}), "retry", "pending"
        ),
        "redirect to metadata": Fault(Says(302, headers={"Location": METADATA}), "refused", "dead"),
        "gone": Fault(Says(410), "gone", "dead", is_on=False),
        "a stranger in TLS": Fault(Says(200), "retry", "pending", is_strange_in_tls=True),
        "10 MB and no": Fault(Says(500, HUGE), "retry", "pending"),
        "10 MB and yes": Fault(Says(200, HUGE), "delivered", "delivered"),
        "nobody there": Fault(None, "retry", "pending"),
    }


@contextmanager
def failing(fault: Fault, folder: Path) -> Iterator[HttpReceiver]:
    """folder: where a certificate may be made."""
    with ExitStack() as stack:
        if fault.says is None:
            yield HttpReceiver(url=f"http://127.0.0.1:{reserve_port()}")
            return
        identity = make_identity(folder) if fault.is_strange_in_tls else None
        ill = stack.enter_context(http_receiver(identity))
        ill.answers[:], ill.is_silent = [fault.says], fault.is_silent
        yield ill
