"""The lives of 54 users in three zones: what they truly did, whoever saw it.

Everything comes from a seed. Nothing here knows the program, its ledger or the law.
"""

import random
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from Lives.facts import API_KINDS, INBOX_KINDS
from Shared.civil import DAY, HOUR

ZONES = ("Asia/Tokyo", "Europe/Berlin", "America/Sao_Paulo")
USERS_PER_ZONE = 18

# Users are judged from the first day on; Berlin's clocks go back in the night of the outage.
FIRST_DAY = date(2026, 10, 21)
OUTAGE_DAY = date(2026, 10, 24)
LAST_DAY = date(2026, 11, 3)

# How the night of the outage is for each user of a zone, in turn.
NIGHTS = ("hidden stream", "hidden gift", "late stream", "late gift", "late watch", "late login",
          "late comment", "absent", "any", "any")


@dataclass(frozen=True, order=True)
class Activity:
    """Something a user did; `start` and `end` are the same for what takes no time."""

    start: int
    end: int
    kind: str
    user: str

    @property
    def line(self) -> dict:
        """The line of the inbox that tells of it."""
        return {"user": self.user, "kind": self.kind, "at": self.start}


@dataclass
class Person:
    """A user, with what stands in the roster and all that was ever done."""

    user: str
    zone: str
    night: str
    opening: dict | None = None
    activities: list[Activity] = field(default_factory=list)
    # What was got elsewhere, as lines of the inbox.
    credits: list[dict] = field(default_factory=list)

    def roster_line(self) -> dict:
        """The user's line of the roster."""
        line = {"user": self.user, "timezone": self.zone, "since": FIRST_DAY.isoformat()}
        return {**line, "opening": self.opening} if self.opening else line


class World:
    """All lives; the same for the same seed."""

    def __init__(self, seed: int, catalogue: dict[str, list[str]]):
        self.random = random.Random(f"{seed}/world")
        self.items = [f"{category}/{item}" for category, items in catalogue.items() for item in items]
        self.people: dict[str, Person] = {}
        for number in range(USERS_PER_ZONE * len(ZONES)):
            zone = ZONES[number % len(ZONES)]
            night = NIGHTS[number // len(ZONES) % len(NIGHTS)]
            person = Person(f"user-{number:02}", zone, night)
            self.people[person.user] = person
            self.tell(person)

    def tell(self, person: Person) -> None:
        """Tells a life from the eve of the first day to the last day."""
        pick = self.random
        if pick.random() < 0.3:
            person.opening = {"points": pick.randint(0, 500), "exp": pick.randint(0, 40), "level": pick.randint(1, 9),
                              "streak": pick.randint(0, 12), "items": pick.sample(self.items, pick.randint(0, 2))}
        diligence = pick.choice((1.0, 0.97, 0.9, 0.75))
        tastes = {kind: pick.choice((0.1, 0.35, 0.7)) for kind in API_KINDS + INBOX_KINDS}
        told: list[Activity] = []
        day = FIRST_DAY - DAY
        while day <= LAST_DAY:
            if day == OUTAGE_DAY and person.night != "any":
                told += self.night(person)
            elif pick.random() < diligence:
                told += self.ordinary(person, day, tastes)
            day += DAY
        person.activities = without_overlaps(told)
        if person.night != "any":
            person.activities = [a for a in person.activities if self.suits(person, a)]
        self.tell_credits(person)

    def ordinary(self, person: Person, day: date, tastes: dict[str, float]) -> list[Activity]:
        """What a day brings when nothing is the matter: evenings are livelier, midnight is no border."""
        pick, told = self.random, []
        for kind, taste in tastes.items():
            while pick.random() < taste and len(told) < 12:
                hour = pick.choice((pick.uniform(0, 24), pick.gauss(21.5, 1.5) % 24))
                told.append(self.activity(person, kind, day, hour))
        return told

    def night(self, person: Person) -> list[Activity]:
        """The day of the outage for a user on whom the story looks: all that happened is within the outage."""
        before, after = self.random.uniform(22.2, 22.8), self.random.uniform(24.3, 24.9)
        kind = person.night.split()[-1]
        if person.night == "absent":
            return []
        told = [self.activity(person, kind, OUTAGE_DAY, before, minutes=40)]
        if person.night.startswith("hidden"):
            # The later one is all that the route tells when it answers again.
            told.append(self.activity(person, kind, OUTAGE_DAY, after, minutes=30))
        return told

    def suits(self, person: Person, activity: Activity) -> bool:
        """Whether the activity leaves the night of the outage as it is told for this user."""
        start = instant(OUTAGE_DAY, 0, person.zone)
        end = instant(OUTAGE_DAY, 24 if person.night.startswith("hidden") else 27, person.zone)
        if activity.end < start or activity.start >= end:
            return not (person.night == "hidden gift" and activity.kind == "gift"
                        and end <= activity.start < instant(OUTAGE_DAY, 24.3, person.zone))
        return instant(OUTAGE_DAY, 22, person.zone) <= activity.start < instant(OUTAGE_DAY, 24, person.zone) and activity.kind == person.night.split()[-1]

    def activity(self, person: Person, kind: str, day: date, hour: float, minutes: float = 0) -> Activity:
        """An activity of the kind that begins at this local hour of the day."""
        start = instant(day, hour, person.zone)
        takes_time = kind in ("stream", "watch")
        lasting = 60 * round(minutes or self.random.uniform(5, 150)) if takes_time else 0
        return Activity(start, start + lasting, kind, person.user)

    def tell_credits(self, person: Person) -> None:
        """Some users buy exp cards or items, at instants of their own."""
        pick = self.random
        taken = {activity.start for activity in person.activities}
        for number in range(pick.choice((0, 0, 0, 1, 2))):
            at = instant(FIRST_DAY + DAY * pick.randint(0, 10), pick.uniform(1, 23), person.zone)
            if at not in taken:
                items = pick.sample(self.items, pick.randint(0, 1))
                person.credits.append({"user": person.user, "kind": "credit", "at": at, "exp": pick.choice((20, 60, 120)),
                                       "items": items, "id": f"{person.user}-{number}"})

    def activities(self) -> list[Activity]:
        """All that was ever done, in order."""
        return sorted(activity for person in self.people.values() for activity in person.activities)

    def lines(self) -> list[dict]:
        """All that no route tells, in order, as lines of the inbox."""
        told = [activity.line for activity in self.activities() if activity.kind in INBOX_KINDS]
        return sorted([*told, *(credit for person in self.people.values() for credit in person.credits)],
                      key=lambda line: line["at"])


def instant(day: date, hour: float, zone: str) -> int:
    """The instant of a local hour of a day, to the second; hours from 24 on are of the next day."""
    local = datetime.combine(day, time()) + timedelta(seconds=round(hour * HOUR))
    return int(local.replace(tzinfo=ZoneInfo(zone)).timestamp())


def without_overlaps(told: list[Activity]) -> list[Activity]:
    """Nobody streams twice at a time, and gifts come one by one: the later of two that overlap is dropped."""
    kept: list[Activity] = []
    last: dict[str, int] = {}
    for activity in sorted(told):
        if activity.kind in ("stream", "gift") and activity.kind in last and activity.start <= last[activity.kind]:
            continue
        kept.append(activity)
        last[activity.kind] = activity.end
    return kept
