"""What every part of a life's script draws from: its features, zones, users and time, and the steps written so far."""

import random
from datetime import date

from Lives import documents
from Lives.facts import INBOX_KINDS
from Shared.civil import DAY, HOUR, day_at, first_instant

# How probable each feature is; a life has some of them, so that none hides behind another.
FEATURES = {
    "api": 0.25, "outages": 0.4, "marathons": 0.5, "marks": 0.08, "moves": 0.6, "since": 0.35, "removal": 0.3,
    "late": 0.7, "doubled": 0.5, "spans": 0.6, "credits": 0.5, "openings": 0.4, "corrections": 0.55, "successors": 0.2,
    "starts": 0.25, "limits": 0.25, "reversals": 0.35, "gifts": 0.35, "excuses": 0.4, "scopes": 0.4, "plans": 0.65,
    "kindness": 0.5, "kills": 0.4, "losses": 0.3, "files": 0.3, "long": 0.04,
    "lasting": 0.3, "tables": 0.15, "ahead": 0.15, "vanishing": 0.15, "restores": 0.15, "endless": 0.1, "declared": 0.15,
    "shop": 0.4,
}

# When a life begins, and the zones whose clocks change in the weeks that follow.
SEASONS = (
    ("2026-02-27", ("America/New_York", "America/Havana", "America/Vancouver")),
    ("2026-03-19", ("Asia/Beirut", "Europe/London", "Africa/Casablanca")),
    ("2026-03-28", ("America/Santiago", "Pacific/Auckland", "Australia/Lord_Howe", "Pacific/Chatham")),
    ("2026-04-17", ("Africa/Cairo", "America/Santiago")),
    ("2026-08-29", ("America/Santiago", "Asia/Kolkata")),
    ("2026-09-20", ("Australia/Lord_Howe", "Pacific/Auckland")),
    ("2026-10-19", ("America/New_York", "Asia/Beirut", "Africa/Cairo", "America/Havana", "Europe/London")),
    ("2026-06-10", ("Asia/Kathmandu", "America/Sao_Paulo")),
    ("2010-10-29", ("America/St_Johns", "America/New_York")),
    ("2011-12-21", ("Pacific/Apia", "Pacific/Fakaofo")),
)
ZONES = ("Pacific/Kiritimati", "Pacific/Apia", "Pacific/Honolulu", "Pacific/Midway", "Pacific/Auckland", "Asia/Tokyo",
         "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe", "America/New_York", "Europe/Berlin", "UTC")
HOURS = 24 * HOUR


class Author:
    """Writes one life."""

    def __init__(self, seed: int, wanted: set[str], unwanted: set[str]):
        self.pick = pick = random.Random(seed)
        # The shop is drawn apart, so that lives without one stay as they are.
        self.shop = random.Random(f"{seed} shop")
        drawn = {name for name, share in FEATURES.items()
                 if (self.shop if name == "shop" else pick).random() < share}
        self.features = (drawn | wanted) - unwanted
        if "tables" in self.features:
            # What was closed when a table came must be certain, and the tables that a life makes hold for some weeks.
            self.features -= {"scopes", "long"}
        if "declared" in self.features:
            # What the closes did not know must be certain: an outage holds the days of which it hid something.
            self.features -= {"scopes", "losses", "endless"}
        if "ahead" in self.features:
            # What a look tells is not told again.
            self.features -= {"api"}
        season, zones = pick.choice(SEASONS)
        self.zones = self.choose_zones(zones)
        self.begin = first_instant("UTC", date.fromisoformat(season)) + pick.randrange(HOURS)
        self.days = int(pick.triangular(5, 25, 8))
        self.end = self.begin + self.days * HOURS
        # An idle time in the middle of a long life.
        self.idle = (self.begin + self.days // 2 * HOURS, pick.randint(62, 80) * HOURS) if self.has("long") else (0, 0)
        self.users = [f"u{number}" for number in range(pick.choice((1, 1, 2, 2, 3, 3, 4, 6)))]
        self.steps: list[dict] = []
        # The moves of each user, as (instant, zone); without a zone a removal.
        self.homes: dict[str, list[tuple[int, str | None]]] = {}
        self.activities: list[list] = []
        self.documents = [documents.document(pick, "r1", self.features)]
        self.versions = 1

    def has(self, feature: str) -> bool:
        """Whether the life has the feature."""
        return feature in self.features

    def choose_zones(self, zones: tuple[str, ...]) -> list[str]:
        """Two to four zones of a life."""
        count = self.pick.randint(2, 4)
        near = self.pick.sample(zones, min(len(zones), self.pick.randint(1, 2)))
        return (near + [zone for zone in self.pick.sample(ZONES, 4) if zone not in near])[:count]

    def add_correction(self) -> dict:
        """A correction of one of the documents that stand."""
        self.versions += 1
        corrected = {d.get("corrects") for d in self.documents}
        wrong = self.pick.choice([d for d in self.documents if d["version"] not in corrected])
        self.documents.append(documents.correction(self.pick, wrong, f"r{self.versions}", self.features))
        return self.documents[-1]

    def add_successor(self, at: int) -> dict:
        """A document that follows some days later."""
        self.versions += 1
        start = (day_at("Pacific/Kiritimati", at) + DAY * self.pick.randint(3, 6)).isoformat()
        self.documents.append(documents.successor(self.pick, self.documents[-1], f"r{self.versions}", start, self.features))
        return self.documents[-1]

    def outages(self) -> list[list[int]]:
        """Spans in which the API answers nobody."""
        if not self.has("outages"):
            return []
        starts = [self.any_time() for _ in range(self.pick.randint(1, 3))]
        return [[start, start + self.pick.randrange(HOUR, 2 * HOURS)] for start in starts]

    def any_time(self) -> int:
        """An instant of the life."""
        return self.late(self.pick.randrange(self.begin, self.end))

    def late(self, at: int) -> int:
        """The instant with the idle time put between."""
        idle_from, idle = self.idle
        return at + idle if idle and at >= idle_from else at

    def zone_at(self, user: str, at: int) -> str | None:
        """Where the user lives then, as the roster says; `None` while not in it."""
        told = [zone for moved, zone in self.homes[user] if moved <= at]
        return told[-1] if told else None

    def lines(self, at: int) -> list[dict]:
        """What users who are there then have just done, as the inbox is told of it."""
        there = [user for user in self.users if self.zone_at(user, at)]
        return [{"user": user, "kind": self.pick.choice(INBOX_KINDS), "at": at - self.pick.randrange(6 * HOUR)}
                for user in self.pick.sample(there, self.pick.randint(0, len(there)))]

    def add(self, at: int, do: str, **words: object) -> None:
        """Adds a step."""
        step = {"do": do, "now": at, **words}
        if self.has("kills") and do not in ("forget", "tables", "compare", "explain", "audit", "verify") and self.pick.random() < 0.12:
            step["kill"] = self.pick.uniform(0.001, 0.014)
        self.steps.append(step)

    def ordered(self) -> list[dict]:
        """The steps in time, each later than the one before; with the documents that some of them load."""
        self.steps.sort(key=lambda step: step["now"])
        now = 0
        for step in self.steps:
            now = step["now"] = max(step["now"], now + 1)
            if step.pop("corrects", False):
                step["documents"] = [self.add_correction()]
            if step.pop("succeeds", False):
                step["documents"] = [self.add_successor(now)]
        return self.steps
