"""The one law: what a user has earned as a function of evidence, rules, zone, credits and excuses.

Written from the definition alone; shares nothing with the program. It knows no ledger and no looks: what is met, what
is proven not to have been, and which days are closed is told to it.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from draws import draw

UTC = timezone.utc


@dataclass(frozen=True)
class Window:
    """A day of a user: the half-open interval of instants from its midnight to the next."""

    day: date
    start: datetime
    end: datetime

    def is_touched(self, start: datetime, end: datetime) -> bool:
        """Whether an activity touches the day; an instant by lying inside."""
        return start < self.end and (end > self.start or start == end == self.start)


def window(day: date, zone: str) -> Window:
    """The window of a date in a zone, whatever the clocks do on it."""
    first, last = (datetime.combine(d, time(), ZoneInfo(zone)).astimezone(UTC) for d in (day, day + timedelta(days=1)))
    return Window(day, first, last)


@dataclass
class Amount:
    """What a user receives under a key."""

    points: int = 0
    exp: int = 0
    coins: int = 0
    items: list[str] = field(default_factory=list)


@dataclass
class Facts:
    """All that the law depends on, for one user."""

    user: str
    zone: str
    since: date
    opening: dict
    # Kind, first and last instant of each activity that was seen.
    evidence: list[tuple[str, datetime, datetime]]
    # Instant, exp and items.
    credits: list[tuple[datetime, int, list[str]]]
    excused: set[date]
    # The days that are closed, each with the kinds that are proven not to have happened on it.
    closed: dict[date, set[str]]
    # What operators let the user keep: from when on, how much, and the booster that runs on.
    waivers: list[tuple[datetime, Amount, tuple[datetime, datetime] | None]] = field(default_factory=list)


class RuleBook:
    """The documents that are loaded; one that corrects another stands in its place."""

    def __init__(self, documents: list[dict]):
        corrected = {document.get("corrects") for document in documents}
        self.documents = sorted((document for document in documents if document["version"] not in corrected),
                                key=lambda document: document["effectiveFrom"])

    def of(self, day: date) -> dict:
        """The document in force on that day."""
        return [d for d in self.documents if d["effectiveFrom"] <= day.isoformat()][-1]


@dataclass(order=True)
class Event:
    """Something that falls to a user; in order: instant, then login, missions by name, levels by number."""

    at: datetime
    rank: int
    name: str
    level: int
    day: date = field(compare=False)
    reward: dict = field(compare=False)


WAIVER, CREDIT, LOGIN, MISSION, LEVEL = range(5)


class Account:
    """A user's fortune, folded from the first day to the last."""

    def __init__(self, facts: Facts, rules: RuleBook, secret: str):
        self.facts, self.rules, self.secret = facts, rules, secret
        opening = facts.opening
        self.points, self.coins = opening.get("points", 0), 0
        self.level, self.exp = opening.get("level", 1), opening.get("exp", 0)
        self.items: list[str] = list(opening.get("items", []))
        self.boosters: list[tuple[datetime, datetime]] = []
        self.length = self.longest = opening.get("streak", 0)
        self.cycle_day = (self.length - 1) % 7 + 1 if self.length else 0
        self.last_counted: date | None = None
        # What stands under each key; how each day is for the streak; the days with something held back.
        self.grants: dict[str, Amount] = {}
        self.days: dict[date, str] = {}
        self.beyond_limit: list[str] = []
        self._spent: dict[date, Amount] = {}

    def fold(self, until: datetime) -> "Account":
        """Lives through all days that have begun by then."""
        is_pending = False
        for day in self.windows(until):
            kinds = self.met(day)
            what = self.judge(day.day, kinds)
            self.days[day.day] = what
            is_pending = is_pending or what == "pending"
            if what == "missed":
                self.length = self.cycle_day = 0
            events = self.missions(day, kinds)
            if what == "counted" and not is_pending:
                events.append(self.login(day, kinds))
            self.run(events + self.others(day))
        return self

    def windows(self, until: datetime) -> Iterator[Window]:
        """The user's days in order."""
        day = self.facts.since
        while (now := window(day, self.facts.zone)).start <= until:
            yield now
            day += timedelta(days=1)

    def met(self, day: Window) -> dict[str, datetime]:
        """The kinds that were seen on a day, each with its first instant there."""
        starts_only = self.rules.of(day.day)["activity"]["counts"] == "starts"
        kinds: dict[str, datetime] = {}
        for kind, start, end in self.facts.evidence:
            if day.is_touched(start, end) and (start >= day.start or not starts_only):
                kinds[kind] = min(kinds.get(kind, day.end), max(start, day.start))
        return kinds

    def judge(self, day: date, kinds: dict[str, datetime]) -> str:
        """How a day is for the streak; counted beats excused, excused beats missed."""
        listed = self.rules.of(day)["streak"]["countsAs"]
        if any(kind in kinds for kind in listed):
            return "counted"
        if day not in self.facts.closed:
            return "pending"
        if day in self.facts.excused:
            return "excused"
        return "missed" if all(kind in self.facts.closed[day] for kind in listed) else "held"

    def missions(self, day: Window, kinds: dict[str, datetime]) -> list[Event]:
        """The missions that are met."""
        missions = self.rules.of(day.day)["missions"]
        return [Event(kinds[name], MISSION, name, 0, day.day, missions[name]) for name in missions if name in kinds]

    def login(self, day: Window, kinds: dict[str, datetime]) -> Event:
        """The reward of a day that counts, by its cycle day."""
        streak = self.rules.of(day.day)["streak"]
        self.length += 1
        self.cycle_day = self.cycle_day % 7 + 1
        self.longest = max(self.longest, self.length)
        self.last_counted = day.day
        at = min(at for kind, at in kinds.items() if kind in streak["countsAs"])
        return Event(at, LOGIN, "login", 0, day.day, streak["rewards"][self.cycle_day - 1])

    def others(self, day: Window) -> list[Event]:
        """What the day brings from elsewhere, and what the user may keep from then on."""
        told = [Event(at, CREDIT, "", 0, day.day, {"exp": exp, "items": items})
                for at, exp, items in self.facts.credits if day.start <= at < day.end]
        return told + [Event(at, WAIVER, "", 0, day.day, {**vars(amount), "booster": booster})
                       for at, amount, booster in self.facts.waivers if day.start <= at < day.end]

    def run(self, events: list[Event]) -> None:
        """Takes the events of a day in, and the levels that they lift."""
        heapq.heapify(events)
        while events:
            event = heapq.heappop(events)
            amount = self.grant(event) if event.rank not in (WAIVER, CREDIT) else self.take(event.reward)
            if amount is None:
                continue
            self.points += amount.points
            self.coins += amount.coins
            self.items += amount.items
            if event.reward.get("booster"):
                self.boosters.append(event.reward["booster"])
            for level in self.lift(amount.exp, event.day):
                reward = self.rules.of(event.day)["levels"]["rewards"].get(str(level))
                # What a level gave that is only kept is kept by the waiver too.
                if reward and event.rank != WAIVER:
                    heapq.heappush(events, Event(event.at, LEVEL, "", level, event.day, reward))

    def take(self, reward: dict) -> Amount:
        """What comes from elsewhere is neither doubled nor limited."""
        points, exp, coins = (reward.get(unit, 0) for unit in ("points", "exp", "coins"))
        return Amount(points, exp, coins, list(reward.get("items", [])))

    def grant(self, event: Event) -> Amount | None:
        """What a reward is for this user at that instant, under its key; `None` when it is beyond a limit."""
        rules, reward = self.rules.of(event.day), event.reward
        place = f"level/{event.level}" if event.rank == LEVEL else f"{event.day}/{event.name}"
        key = f"{self.facts.user}/{place}"
        if "item" in reward:
            item = draw(self.secret, self.facts.user, reward["item"], key, rules["catalogue"], self.items)
            reward = {"items": [item]} if item else rules["fallback"]
        is_doubled = any(start <= event.at < end for start, end in self.boosters)
        amount = self.take(reward)
        amount.exp *= rules["booster"]["multiplier"] if is_doubled else 1
        spent = self._spent.setdefault(event.day, Amount())
        if (spent.points + amount.points > rules["limits"]["pointsPerUserDay"]
                or spent.exp + amount.exp > rules["limits"]["expPerUserDay"]):
            self.beyond_limit.append(key)
            return None
        spent.points += amount.points
        spent.exp += amount.exp
        if "boosterDays" in reward:
            start = max([event.at] + [end for _, end in self.boosters])
            self.boosters.append((start, start + timedelta(days=reward["boosterDays"])))
        self.grants[key] = amount
        return amount

    def lift(self, exp: int, day: date) -> list[int]:
        """Fills the level's cap and carries the rest over; the levels that are reached. Without exp none is."""
        caps, reached = self.rules.of(day)["levels"]["caps"], []
        self.exp += exp
        while exp and self.level <= len(caps) and self.exp >= caps[self.level - 1]:
            self.exp -= caps[self.level - 1]
            self.level += 1
            reached.append(self.level)
        return reached

    def balance(self) -> dict:
        """The user's balance as the program prints it; the items sorted, the booster that ended or ends last."""
        return {
            "user": self.facts.user, "points": self.points, "exp": self.exp, "level": self.level, "coins": self.coins,
            "items": sorted(set(self.items)), "boosterUntil": max((end for _, end in self.boosters), default=None),
            "streak": {"length": self.length, "cycleDay": self.cycle_day, "longest": self.longest,
                       "lastDay": self.last_counted and self.last_counted.isoformat()},
        }
