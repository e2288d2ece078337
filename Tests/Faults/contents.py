"""What the sealed part of a ledger says, as far as these tests ask."""

from collections import Counter
from pathlib import Path

from Shared.ledger import Reader


class Contents:
    """Users, evidence, grants and closes of a ledger; the reader of it tells of its segments."""

    def __init__(self, folder: Path, allow_tail: bool = False):
        self.keys: Counter[str] = Counter()
        # What stands under each key, adjustments included, and the days that were closed.
        self.amounts: Counter[tuple[str, str]] = Counter()
        self.closes: set[tuple[str, str]] = set()
        self.evidence: set[tuple[str, str]] = set()
        self.users: set[str] = set()
        self.reader = Reader(folder, allow_tail)
        for record in self.reader:
            self.add(record)

    def add(self, record: dict) -> None:
        """Adds a record."""
        kind = record["type"]
        if kind == "grant":
            self.keys[record["key"]] += 1
            for unit in ("points", "exp", "coins"):
                self.amounts[record["key"].split("#")[0], unit] += record[unit]
        elif kind == "close":
            self.closes.add((record["zone"], record["day"]))
        elif kind == "evidence":
            self.evidence.add((record["user"], record["kind"]))
        elif kind == "user":
            self.users.add(record["user"])

    def lost(self, users: list[str], logins: list[str]) -> list[str]:
        """Those of `users` who are not there, and of `logins` who lack the evidence of a login, or its one grant."""
        granted = {key.split("/")[0] for key in self.keys if key.endswith("/login")}
        return [user for user in users if user not in self.users] + [
            user for user in logins if (user, "login") not in self.evidence or user not in granted]

    def doubled(self) -> list[str]:
        """Keys that were granted more than once."""
        return [key for key, count in self.keys.items() if count > 1]
