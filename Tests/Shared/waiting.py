"""Waiting for what other processes do, and a port that nobody has."""

import socket
import time
from collections.abc import Callable

from Shared.program import Failed


def wait_for(condition: Callable[[], object], within: float = 20, every: float = 0.01) -> bool:
    """Whether a condition comes to hold in time."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(every)
    return bool(condition())


def wait_until(condition: Callable[[], object], what: str, within: float = 90, every: float = 0.05) -> None:
    """Waits until something holds that must hold in time."""
    if not wait_for(condition, within, every):
        raise Failed(f"not within {within} s: {what}")


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
