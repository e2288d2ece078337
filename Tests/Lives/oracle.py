"""The one law: what a user has earned as a function of evidence, rules, zone history and excuses.

Written from the definition alone. Three things may keep a ledger from it and are taken as given: keys that are held
back or taken back, and waivers.
"""

import heapq
from dataclasses import dataclass, field
from datetime import date

from Lives.facts import Credit, Facts, User
from Lives.rules import DayFacts, RuleBook
from Shared.civil import HOUR, show
from Shared.draws import draw

WAIVER, CREDIT, LOGIN, MISSION, LEVEL = range(5)
UNITS = ("points", "exp", "coins")
Booster = tuple[int, int]


@dataclass
class Amount:
    """What a user receives under a key."""

    points: int = 0
    exp: int = 0
    coins: int = 0
    items: list[str] = field(default_factory=list)
    booster: Booster | None = None
    # Of a credit: its booster begins when the one that runs then ends.
    booster_days: int = 0


@dataclass(frozen=True)
class Waiver:
    """What a repair let the user keep, from an instant on."""

    at: int
    amount: Amount


@dataclass
class Settled:
    """What keeps a ledger from the law, for one user."""

    void: set[str] = field(default_factory=set)
    waivers: list[Waiver] = field(default_factory=list)


@dataclass(order=True)
class Event:
    """Something that falls to a user; in order: instant, then login, missions by name, levels by number."""

    at: int
    rank: int
    name: str
    level: int
    rules: dict = field(compare=False)
    day: date = field(compare=False)
    reward: dict = field(compare=False, default_factory=dict)
    amount: Amount | None = field(compare=False, default=None)


class Account:
    """A user's fortune, folded from the first day to the one that runs now."""

    def __init__(self, facts: Facts, user: User, secret: str, settled: Settled, now: int):
        self.user, self.secret, self.settled = user, secret, settled
        opening = user.opening
        # By unit what the user got here; got elsewhere or brought along; and spent.
        self.earned = dict.fromkeys(UNITS, 0)
        self.credited = {unit: opening.get(unit, 0) for unit in UNITS}
        self.spent = dict.fromkeys(UNITS, 0)
        self.take_credits()
        self.level, self.exp = opening.get("level", 1), opening.get("exp", 0)
        self.items: list[str] = list(opening.get("items", []))
        self.boosters: list[Booster] = [(0, opening["boosterUntil"])] if "boosterUntil" in opening else []
        self.length = self.longest = opening.get("streak", 0)
        self.cycle_day = 0
        self.last_counted: date | None = None
        # What stands under each key.
        self.grants: dict[str, Amount] = {}
        rules = RuleBook(facts.documents)
        self.days = [DayFacts(facts, rules, user, window) for window in user.windows(now)]
        if self.length and self.days:
            self.cycle_day = (self.length - 1) % len(self.days[0].rules["streak"]["rewards"]) + 1
        if self.days and self.level > 1:
            # The exp that made the level, by the rules of that time.
            caps = rules.of(self.days[0].window.day, user.number)["levels"]["caps"]
            self.credited["exp"] += sum(caps[:self.level - 1])
        self.fold()

    def take_credits(self) -> None:
        """Sums what is from elsewhere: at once, whatever day it is of and whether that is closed."""
        for credit in self.user.credits.values():
            for unit in UNITS if not credit.key else ():
                amount = getattr(credit, unit)
                self.credited[unit] += max(amount, 0)
                self.spent[unit] += max(-amount, 0)

    def fold(self) -> None:
        """Lives through all days."""
        is_pending = False
        begins = [day.window.start for day in self.days]
        for day, until in zip(self.days, [*begins[1:], None]):
            standing = day.standing
            is_pending = is_pending or standing == "pending"
            if standing == "missed":
                self.length = self.cycle_day = 0
            events = [self.event(day, at, MISSION, name, day.rules["missions"][name])
                      for name, at in day.accomplished.items()]
            if standing == "counted" and not is_pending:
                events.append(self.login(day))
            self.run(events + self.gifts(day, until))

    def event(self, day: DayFacts, at: int, rank: int, name: str, reward: dict) -> Event:
        """A reward that falls to the user on a day."""
        return Event(at, rank, name, 0, day.rules, day.window.day, reward)

    def login(self, day: DayFacts) -> Event:
        """The reward of a day that counts, by its cycle day."""
        self.length += 1
        rewards = day.rules["streak"]["rewards"]
        self.cycle_day = self.cycle_day + 1 if self.cycle_day < len(rewards) else 1
        self.longest = max(self.longest, self.length)
        self.last_counted = day.window.day
        reward = rewards[self.cycle_day - 1]
        return self.event(day, day.first_counted, LOGIN, "login", reward)

    def gifts(self, day: DayFacts, until: int | None) -> list[Event]:
        """What comes from elsewhere on the day, and what the user may keep from its end on."""
        def is_due(at: int) -> bool:
            return (is_first or begin <= at) and (until is None or at < until)

        def is_kept(at: int) -> bool:
            return (begin <= at if is_first else begin < at) and (until is None or at <= until)

        begin, is_first = day.window.start, day is self.days[0]
        # What somebody got before the first day counts from its beginning; a booster has been running.
        credits = [c for c in day.credits if is_due(c.at) and c.key not in self.settled.void]
        for c in sorted((c for c in credits if c.at < begin and c.booster_days), key=lambda c: c.at):
            self.boosters.append(self.next_booster(c.at, c.booster_days))
        given = [Event(max(c.at, begin), CREDIT, c.key, 0, day.rules, day.window.day, amount=amount_of(c, begin))
                 for c in credits]
        return given + [Event(w.at, WAIVER, "", 0, day.rules, day.window.day, amount=w.amount)
                        for w in self.settled.waivers if is_kept(w.at)]

    def run(self, events: list[Event]) -> None:
        """Takes the events of a day in, and the levels that they lift."""
        heapq.heapify(events)
        while events:
            event = heapq.heappop(events)
            key = event.name if event.amount else self.key(event)
            if key and key in self.settled.void:
                continue
            amount = event.amount or self.amount(event, key)
            if key:
                self.grants[key] = amount
            # What a credit without a key brings is summed already.
            for unit in UNITS if key or event.rank == WAIVER else ():
                self.earned[unit] += getattr(amount, unit)
            self.items += amount.items
            if amount.booster_days:
                self.boosters.append(self.next_booster(event.at, amount.booster_days))
            if amount.booster:
                self.boosters.append(amount.booster)
            for level in self.lift(amount.exp, event.rules["levels"]["caps"]):
                reward = event.rules["levels"]["rewards"].get(str(level))
                # What a level gave that is only kept is kept by the waiver too.
                if reward and event.rank != WAIVER:
                    heapq.heappush(events, Event(event.at, LEVEL, "", level, event.rules, event.day, reward))

    def key(self, event: Event) -> str:
        """The key under which an event's reward stands."""
        place = f"level/{event.level}" if event.rank == LEVEL else f"{event.day}/{event.name}"
        return f"{self.user.name}/{place}"

    def amount(self, event: Event, key: str) -> Amount:
        """What a reward is for this user at that instant."""
        rules, reward = event.rules, event.reward
        if "item" in reward:
            catalogue = rules["catalogue"]
            if reward["item"] == "*":
                catalogue = {name: items for name, items in catalogue.items() if name in rules.get("shop", catalogue)}
            item = draw(self.secret.encode(), self.user.name, reward["item"], key, catalogue, self.items)
            reward = {"items": [item]} if item else rules["fallback"]
        is_doubled = any(start <= event.at < end for start, end in self.boosters)
        exp = reward.get("exp", 0) * (rules["booster"]["multiplier"] if is_doubled else 1)
        amount = Amount(reward.get("points", 0), exp, reward.get("coins", 0), list(reward.get("items", [])))
        if "boosterDays" in reward:
            amount.booster = self.next_booster(event.at, reward["boosterDays"])
        return amount

    def next_booster(self, at: int, days: int) -> Booster:
        """The booster of so many days that is given then: it joins the one that runs."""
        start = max([at] + [end for _, end in self.boosters])
        return start, start + days * 24 * HOUR

    def lift(self, exp: int, caps: list[int]) -> list[int]:
        """Fills the level's cap and carries the rest over; the levels that are reached. Without exp none is."""
        reached = []
        self.exp += exp
        while exp and self.level <= len(caps) and self.exp >= caps[self.level - 1]:
            self.exp -= caps[self.level - 1]
            self.level += 1
            reached.append(self.level)
        return reached

    def sum(self, unit: str) -> int:
        """What the user has of a unit; of exp, whatever levels it made."""
        return self.earned[unit] + self.credited[unit] - self.spent[unit]

    def balance(self) -> dict:
        """The user's balance as `rewards balance` prints it."""
        booster = max((end for _, end in self.boosters), default=None)
        return {
            "user": self.user.name, "points": self.sum("points"), "exp": self.exp, "level": self.level,
            "coins": self.sum("coins"), "expTotal": self.sum("exp"),
            **{name: {unit: sums[unit] for unit in ("points", "coins")}
               for name, sums in (("earned", self.earned), ("credited", self.credited), ("spent", self.spent))},
            "items": sorted(set(self.items)), "boosterUntil": None if booster is None else show(booster),
            "streak": {"length": self.length, "cycleDay": self.cycle_day, "longest": self.longest,
                       "lastDay": self.last_counted and self.last_counted.isoformat()},
        }


def amount_of(credit: Credit, begin: int) -> Amount:
    """What a credit or a gift by hand brings from then on; it is neither doubled nor limited."""
    days = credit.booster_days if credit.at >= begin else 0
    return Amount(credit.points, credit.exp, credit.coins, list(credit.items), booster_days=days)
