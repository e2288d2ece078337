"""What goes wrong between a client and the store, by a seed."""

import random
import threading
from collections import Counter

# With how many of a thousand requests it happens, in a run with all faults.
COMMIT_FAULTS = {"aborted": 8, "busy": 4, "unavailable": 6, "internal": 4, "deadline": 6, "refused token": 3, "lost before": 15,
                 "lost after": 25, "torn": 8, "garbage": 8, "slow": 4, "late": 4}
READ_FAULTS = {"busy": 4, "unavailable": 6, "internal": 4, "refused token": 3, "lost before": 8, "lost after": 8,
               "torn": 6, "garbage": 6, "slow": 3}
TOKEN_FAULTS = {"unavailable": 60, "lost before": 30, "garbage": 30, "torn": 30}
# The client cannot know what became of its commit.
LOST = ("internal", "deadline", "lost before", "lost after", "torn", "garbage", "slow", "late")
GARBAGE = [b"", b"<html>502</html>", b'{"writeResults":', b"null", b"[[[", b"[[]]", b"\xff\xfe\x00", b'"ok"']


class Faults:
    """Chooses a fault for each request. `rate` multiplies all chances; 0 is a world in which all goes well."""

    def __init__(self, seed, rate):
        self.dice = random.Random(f"faults {seed}")
        self.rate = rate
        self.lock = threading.Lock()
        self.counts = Counter()

    def pick(self, table):
        """The next fault, or none."""
        with self.lock:
            chance = self.dice.random() * 1000
            for fault, share in table.items():
                chance -= share * self.rate
                if chance < 0:
                    return fault
            return None

    def garbage(self):
        """An answer that nobody can read."""
        with self.lock:
            return self.dice.choice(GARBAGE)

    def flips(self):
        """One of two ways."""
        with self.lock:
            return self.dice.random() < 0.5

    def count(self, what):
        """Notes that something happened."""
        with self.lock:
            self.counts[what] += 1
