"""Runs the program: once, or as a service."""

import json
import os
import signal
import subprocess
import time

from control import is_alive
from outcome import Broken


def run(place, *words, wrapper=(), timeout=30, **environment):
    """Runs `rewards WORDS` to its end; a run that does not end is a breach."""
    try:
        return subprocess.run(
            [*wrapper, *place.words(*words)], env=place.environment(**environment), cwd=place.path,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Broken(f"{' '.join(words)} did not end within {timeout} s at {place.path}") from None


def verify(place):
    """What `rewards ledger verify` says: exit code and the JSON document."""
    done = run(place, "ledger", "verify", "--format", "json", timeout=120)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        raise Broken(f"ledger verify ended with {done.returncode} and no report: {done.stderr}"
                     f" at {place.path}") from None


STARTED = []


def end_all():
    """Kills the services that a broken test has left running."""
    while STARTED:
        service = STARTED.pop()
        if service.process.poll() is None:
            service.kill()


class Service:
    """A `rewards serve` of its own. Kill it or end it when done."""

    def __init__(self, place, wrapper=(), **environment):
        self.place = place
        self.log_path = place.path / f"serve-{time.monotonic_ns()}.log"
        self.began = time.monotonic()
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [*wrapper, *place.words("serve", "--log-level", "info")], cwd=place.path,
                env=place.environment(**environment), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log)
        STARTED.append(self)

    @property
    def log(self):
        """What it wrote to standard error so far."""
        return self.log_path.read_text(errors="replace")

    def wait_until_it_answers(self, within=30):
        """Seconds from the start until the control socket answers; raises `Broken`."""
        while not is_alive(self.place):
            if self.process.poll() is not None:
                raise Broken(f"serve ended with {self.process.returncode}: {self.log[-2000:]}")
            if time.monotonic() - self.began > within:
                raise Broken(f"serve does not answer within {within} s: {self.log[-2000:]}")
            time.sleep(0.002)
        return time.monotonic() - self.began

    def kill(self):
        """Ends the process as a power failure would."""
        self.process.kill()
        self.process.wait()

    def holder(self):
        """The process that serves: this one's child when it runs under a tracer."""
        return int(self.place.lock.read_text().split()[0])

    def stop(self, within=60):
        """Asks it to end, and returns the exit code; raises `Broken` when it does not."""
        if self.process.poll() is None:
            os.kill(self.holder(), signal.SIGTERM)
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Broken(f"serve does not end within {within} s: {self.log[-2000:]}") from None


def wait_for(condition, within=20):
    """Whether `condition` comes to hold in time."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return condition()
