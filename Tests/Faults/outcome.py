"""What a fault test is asked to do, and what came of it."""

import random
import shutil
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

# So many breaches keep a copy of what shows them.
COPIES = 10


@dataclass
class Options:
    """What the caller asked for: the program under test, the size, the seed."""

    program: Path
    is_full: bool
    seed: int

    def size(self, small, full):
        """The number for the chosen size."""
        return full if self.is_full else small

    def random(self, name):
        """The random numbers of one test: the same for the same seed, whichever other tests run."""
        return random.Random(f"{self.seed}/{name}")


@dataclass
class Outcome:
    """Counts and breaches of one test. A test without breaches has passed. May be told from any thread."""

    name: str
    # Where the test's places lie.
    folder: Path
    counts: dict = field(default_factory=dict)
    breaches: list = field(default_factory=list)
    seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _began: float = field(default_factory=time.monotonic)

    def breach(self, text):
        """Notes a broken promise."""
        self.breaches.append(text)

    def keep(self, path, breach):
        """Notes a broken promise and puts a copy of the folder that shows it aside, the first few times."""
        with self._lock:
            number = len(self.breaches)
            if number < COPIES:
                shutil.copytree(path, self.folder / f"breach-{number}")
                breach += f" (see breach-{number})"
            self.breaches.append(breach)

    def add(self, count, number=1):
        """Adds to a count."""
        with self._lock:
            self.counts[count] = self.counts.get(count, 0) + number

    def worst(self, count, value):
        """Keeps the largest value seen."""
        with self._lock:
            self.counts[count] = max(self.counts.get(count, value), value)

    def finish(self):
        """Stops the clock, and takes the folder away unless it is evidence."""
        self.seconds = time.monotonic() - self._began
        if not self.breaches:
            shutil.rmtree(self.folder, ignore_errors=True)

    def line(self):
        """The outcome on one line."""
        verdict = "failed" if self.breaches else "passed"
        counts = ", ".join(f"{name} {show(value)}" for name, value in self.counts.items())
        return f"{self.name}: {verdict}; {counts}; {self.seconds:.1f} s"


def show(value):
    """A count, or seconds with three digits."""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
