"""The program as a service."""

import os
import signal
import subprocess
import time

from Shared import control
from Shared.installation import Installation
from Shared.program import Failed

STARTED: list["Service"] = []


def end_all() -> None:
    """Kills the services that a broken test has left running."""
    while STARTED:
        STARTED.pop().kill()


class Service(subprocess.Popen):
    """A `rewards serve` of an installation, with a log of its own. Kill it or stop it when done."""

    def __init__(self, installation: Installation, machine: tuple[str, ...] = (), **variables: str):
        self.installation = installation
        self.log_path = installation.folder / f"serve-{time.monotonic_ns()}.log"
        self.began = time.monotonic()
        with open(self.log_path, "wb") as log:
            super().__init__([*machine, installation.program, "serve", "--log-level", "info"], cwd=installation.folder,
                             env=installation.environment | variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=log)
        STARTED.append(self)

    @property
    def log(self) -> str:
        """What it has written to standard error so far."""
        return self.log_path.read_text(errors="replace")

    def wait_until_it_answers(self, within: float = 30) -> float:
        """Seconds from the start until the control socket answers."""
        while not control.is_alive(self.installation):
            if self.poll() is not None:
                raise Failed(f"serve ended with {self.returncode}: {self.log[-2000:]}")
            if time.monotonic() - self.began > within:
                raise Failed(f"serve does not answer within {within} s: {self.log[-2000:]}")
            time.sleep(0.002)
        return time.monotonic() - self.began

    def kill(self) -> None:
        """Ends the process as a power failure would."""
        super().kill()
        self.wait()

    def holder(self) -> int:
        """The process that serves: this one's child when it runs under a tracer."""
        lock = self.installation.data / "lock"
        return int(lock.read_text().split()[0]) if lock.exists() else self.pid

    def stop(self, within: float = 60) -> int:
        """Asks it to end, and returns the exit code."""
        if self.poll() is None:
            os.kill(self.holder(), signal.SIGTERM)
        try:
            return self.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed(f"serve does not end within {within} s: {self.log[-2000:]}") from None
