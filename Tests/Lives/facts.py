"""All that was ever told about users: by whom it is known when, and what it proves not to have happened.

Every command has a number; a fact carries the number of the command with which it arrived.
"""

from dataclasses import dataclass, field, replace
from datetime import date

from Lives.timeline import Cut, Move, Timeline, Window
from Shared.civil import HOUR

API_KINDS = ("stream", "watch", "gift")
INBOX_KINDS = ("login", "comment", "follow", "share", "purchase")
KINDS = (*INBOX_KINDS, *API_KINDS)
LAG = 10
OPEN_END = 12 * HOUR
ABANDONED = 72 * HOUR
AHEAD = 300
# No amount of a credit reaches it.
LARGEST = 1 << 53
EVER = -1 << 60
# A number later than that of any command: what is known of a day that is not closed.
ALWAYS = 1 << 60


@dataclass(frozen=True)
class Look:
    """What one request proved: nothing of the kind but what was told happened after `start`, up to `end`."""

    number: int
    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class Credit:
    """What a user got or spent elsewhere (`points` and `coins` below zero), or got from an operator's hand under a key."""

    number: int
    at: int
    exp: int
    items: tuple[str, ...]
    points: int = 0
    coins: int = 0
    key: str = ""
    booster_days: int = 0

    @property
    def concerns_days(self) -> bool:
        """Whether days may be judged otherwise for it; points and coins change none."""
        return bool(self.exp or self.items or self.booster_days)

    def is_same(self, other: "Credit") -> bool:
        """Whether both have the same contents."""
        return replace(self, number=0) == replace(other, number=0)


@dataclass(frozen=True)
class Excuse:
    """Days on which nobody, or none of these users, shall lose a streak."""

    number: int
    first: date
    last: date
    users: tuple[str, ...]

    def covers(self, user: str, day: date) -> bool:
        """Whether the user is excused on the day."""
        return self.first <= day <= self.last and (not self.users or user in self.users)


@dataclass(frozen=True)
class Outage:
    """A time in which nobody could see what users did: it holds the days of which it hid what the streak needs."""

    number: int
    start: int
    end: int

    def hid(self, closed: "Closed", kinds: list[str]) -> bool:
        """Whether something of these kinds, which the close did not know, may have happened then."""
        return any(start < self.end and self.start < end for kind in kinds for start, end in closed.gaps.get(kind, ()))


@dataclass
class Closed:
    """How a day was closed: the command up to which its facts count, and the kinds that were proven absent then."""

    known: int
    absent: frozenset[str]
    # The missions and kinds of the streak that were neither met nor proven absent then; `None` where that is left open.
    unknown: frozenset[str] | None
    # What was known before a plan that had nothing to append for the user.
    before: int | None = None
    # When something may have happened that nobody saw, of each kind that was not proven absent.
    gaps: dict[str, list[tuple[int, int]]] = field(default_factory=dict)


@dataclass
class User:
    """Everything about one user."""

    name: str
    opening: dict = field(default_factory=dict)
    # The number of the command that told of the user first.
    number: int = 0
    moves: list[Move] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    # Kind, first and last instant, with the number of the command that told it first.
    evidence: dict[tuple[str, int, int], int] = field(default_factory=dict)
    credits: dict[str, Credit] = field(default_factory=dict)
    looks: list[Look] = field(default_factory=list)
    closed: dict[date, Closed] = field(default_factory=dict)

    @property
    def is_present(self) -> bool:
        """Whether the user is in the roster now."""
        return bool(self.moves) and self.moves[-1].zone is not None

    def windows(self, now: int) -> list[Window]:
        """The days up to the one that runs now."""
        return [window for window in Timeline(self.moves, self.cuts, now).windows if window.start <= now]

    def known(self, day: date) -> int:
        """The number of the last command whose facts count for the day."""
        return self.closed[day].known if day in self.closed else ALWAYS

    def items_from_elsewhere(self) -> set[str]:
        """The items that the user has whatever the rules give."""
        return {item for credit in self.credits.values() for item in credit.items} | set(self.opening.get("items", ()))



@dataclass
class Facts:
    """What is known of all users; the rules, excuses and inbox marks besides."""

    has_api: bool
    requires_mark: bool
    users: dict[str, User] = field(default_factory=dict)
    documents: list[tuple[int, dict]] = field(default_factory=list)
    excuses: list[Excuse] = field(default_factory=list)
    outages: list[Outage] = field(default_factory=list)
    # Up to where the inbox says to be complete.
    mark: int = EVER

    def take_line(self, number: int, now: int, line: dict, at: int) -> bool:
        """Takes an inbox line in; whether it is accepted."""
        user = self.users.get(line["user"])
        if user is None or not user.is_present or at > now + AHEAD:
            return False
        if line["kind"] == "credit":
            return self.take_credit(user, line["id"], credit_of(number, line, at))
        else:
            user.evidence.setdefault((line["kind"], at, at), number)
        return True

    def take_credit(self, user: User, name: str, credit: Credit) -> bool:
        """Takes a credit in; whether it is sound, and the first under its id or the same as that one."""
        sold = {f"{category}/{item}" for _, document in self.documents
                for category, items in document["catalogue"].items() for item in items}
        units = (credit.points, credit.coins, credit.exp, credit.booster_days)
        is_sound = (all(isinstance(unit, int) and abs(unit) < LARGEST for unit in units) and credit.exp >= 0
                    and credit.booster_days >= 0 and (any(units) or credit.items) and sold.issuperset(credit.items))
        return bool(is_sound) and user.credits.setdefault(name, credit).is_same(credit)

    def take_look(self, number: int, now: int, name: str, kind: str, seen: list[tuple[int, int | None]]) -> None:
        """Takes what a route told: activities, and the silence around them."""
        user, through = self.users[name], now - LAG
        for start, end in seen:
            last = end if end is not None else max(start, min(through, start + OPEN_END))
            user.evidence.setdefault((kind, start, last), number)
        since = EVER if kind == "watch" or not seen else seen[-1][0]
        # What has no end hides what happens from when it is no more believed until it is taken for abandoned.
        for start in sorted(start for start, end in seen if end is None):
            if since < min(through, start + OPEN_END):
                user.looks.append(Look(number, kind, since, min(through, start + OPEN_END)))
            since = max(since, start + ABANDONED)
        if since < through:
            user.looks.append(Look(number, kind, since, through))

    def gaps(self, user: User, window: Window, now: int, tolerated: int) -> dict[str, list[tuple[int, int]]]:
        """When something unknown may have happened in the window, as is known now; of a kind without one it is proven that nothing did."""
        through = self.mark if self.requires_mark else now
        inbox = [(start, through if end is None else min(end, through))
                 for start, end in Timeline(user.moves, user.cuts, now).known]
        gaps = {kind: missing(window, inbox, tolerated) for kind in INBOX_KINDS}
        for kind in API_KINDS if self.has_api else ():
            gaps[kind] = missing(window, [(look.start, look.end) for look in user.looks if look.kind == kind], tolerated)
        return {kind: spans for kind, spans in gaps.items() if spans}


def credit_of(number: int, line: dict, at: int) -> Credit:
    """The credit that an inbox line tells."""
    return Credit(number, at, line.get("exp", 0), tuple(line.get("items", ())), line.get("points", 0), line.get("coins", 0),
                  booster_days=line.get("boosterDays", 0))


def missing(window: Window, spans: list[tuple[int, int]], tolerated: int) -> list[tuple[int, int]]:
    """The gaps that the spans leave of the window, but for those that are tolerated."""
    gaps, reached = [], window.start
    for start, end in [*sorted(span for span in spans if span[0] < window.end), (window.end, window.end)]:
        if start - reached > tolerated:
            gaps.append((reached, start))
        reached = max(reached, end)
    return gaps
