"""What a ledger owes each user, folded from its lines alone: the sums up to any position."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from Shared.civil import parse
from Shared.ledger import Reader

# The app's missions, in the order in which a document has their flags.
MISSIONS = ("comment", "watch", "follow", "gift", "share", "stream", "purchase")
# The lines that tell what somebody has.
TYPES = ("user", "credit", "grant", "reversal", "streak")


@dataclass(frozen=True)
class Sums:
    """What a user has got by a position."""

    position: int = 0
    points: int = 0
    exp: int = 0
    # Days whose login reward is still required, even where it was reversed.
    logins: int = 0
    cycle_day: int = 0
    # Of all boosters that were ever granted.
    booster_seconds: int = 0
    # Those that the ledger knows from elsewhere are none of its own.
    items: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    # Missions and logins whose grant stands, as (day, mission).
    granted: frozenset[tuple[str, str]] = frozenset()

    def written(self) -> dict:
        """What a document that is up to date says was written."""
        return {"points": self.points, "exp": self.exp, "logins": self.logins, "cycleDay": self.cycle_day,
                "boosterSeconds": self.booster_seconds, "items": set(self.items)}


@dataclass
class Account:
    """One user's fold."""

    history: list[Sums] = field(default_factory=lambda: [Sums()])
    items: Counter = field(default_factory=Counter)
    # The cycle day after each day of which the ledger says it, and the days that count.
    cycle_days: dict[str, int] = field(default_factory=dict)
    logins: set[str] = field(default_factory=set)
    granted: set[tuple[str, str]] = field(default_factory=set)

    @property
    def now(self) -> Sums:
        """The sums at the end."""
        return self.history[-1]

    def at(self, position: int) -> Sums:
        """The sums up to a position, it included."""
        return self.history[bisect_right(self.history, position, key=lambda sums: sums.position) - 1]

    def take(self, record: dict) -> None:
        """Takes a line about the user in."""
        before, changes = self.now, {}
        if record["type"] in ("user", "credit"):
            brought = record if record["type"] == "credit" else record.get("opening", {})
            changes["elsewhere"] = before.elsewhere | set(brought.get("items", []))
        elif record["type"] == "streak":
            self.cycle_days[record["day"]] = record["after"]["cycleDay"]
        else:
            self.items.update(record.get("items", []))
            self.items.subtract(record.get("removedItems", []))
            changes |= {"points": before.points + record.get("points", 0), "exp": before.exp + record.get("exp", 0)}
            self.take_key(record)
        if record["type"] == "grant":
            changes["booster_seconds"] = before.booster_seconds + seconds(record["booster"])
            if record["mission"] == "login":
                self.cycle_days.pop(record["day"], None)
                self.logins.discard(record["day"])
                if not record.get("void"):
                    self.cycle_days[record["day"]] = record["streak"]["cycleDay"]
                    self.logins.add(record["day"])
        elsewhere = changes.get("elsewhere", before.elsewhere)
        self.history.append(replace(
            before, **changes, position=record["seq"], logins=len(self.logins),
            cycle_day=self.cycle_days[max(self.cycle_days)] if self.cycle_days else 0,
            items=frozenset(item for item, count in self.items.items() if count > 0) - elsewhere, granted=frozenset(self.granted)))

    def take_key(self, record: dict) -> None:
        """Notes whether a mission's or login's grant stands."""
        _, day, mission = record["key"].partition("#")[0].split("/")
        if mission in (*MISSIONS, "login"):
            stands = record.get("undone", False) if record["type"] == "reversal" else not record.get("void")
            (self.granted.add if stands else self.granted.discard)((day, mission))


def seconds(window: dict | None) -> int:
    """How long a booster runs."""
    return window and parse(window["until"]) - parse(window["from"]) or 0


class Owed:
    """All users of a ledger. `follow` reads on where it stopped."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.accounts: dict[str, Account] = {}
        self.ledger = ""
        self.head = 0

    def read(self) -> "Owed":
        """Reads the ledger from its beginning, whose chain must be whole."""
        for record in Reader(self.folder):
            self.take(record)
        return self

    def take(self, record: dict) -> None:
        """Takes a line in."""
        self.head = record["seq"]
        if record["type"] == "genesis":
            self.ledger = record["ledger"]
        if record["type"] in TYPES:
            self.accounts.setdefault(record["user"], Account()).take(record)

    def of(self, user: str) -> Account:
        """A user's account."""
        return self.accounts.get(user) or Account()
