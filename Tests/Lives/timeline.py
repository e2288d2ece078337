"""The windows of a user who moves, is removed and comes back: one day after another."""

from dataclasses import dataclass, replace
from datetime import date

from Shared.civil import DAY, HOUR, day_at, first_instant


@dataclass(frozen=True)
class Window:
    """A day of a user: the instants from `start` up to, not including, `end`; `zone` is the one in which it ends, by `table`."""

    day: date
    start: int
    end: int
    zone: str
    is_over: bool = False
    is_interrupted: bool = False
    table: str = ""

    @property
    def end_of_date(self) -> int:
        """When the date ends in the zone."""
        return first_instant(self.zone, self.day + DAY, self.table)

    @property
    def is_shortened(self) -> bool:
        """Whether a change of zone made it shorter than its date's own window in the zone in which it ends."""
        return self.end - self.start < self.end_of_date - first_instant(self.zone, self.day, self.table)

    def is_touched(self, start: int, end: int) -> bool:
        """Whether an activity touches the day; an instant by lying inside."""
        return start < self.end and (end > self.start or start == end == self.start)


@dataclass(frozen=True)
class Move:
    """A roster line as it was taken in by a table, or, without a zone, a removal.

    Out of a zone whose name is unknown by then it takes effect at `boundary`, the end of the last day that was closed.
    """

    at: int
    zone: str | None
    since: date | None = None
    table: str = ""
    boundary: int | None = None


@dataclass(frozen=True)
class Cut:
    """Another table was put in place when the user's days up to `last` were closed: they stay as they are."""

    last: date | None
    table: str


class Timeline:
    """A user's windows, one after the other, by the moves that were made up to an instant."""

    def __init__(self, moves: list[Move], cuts: list[Cut], until: int):
        self.cuts = cuts
        self.past: list[Window] = []
        self.running: Window | None = None
        # The zone that the next window will have; since when the user is away.
        self.wanted = ""
        self.away: int | None = None
        # From when to when lines about the user were taken: from the import on, or from an earlier first day, which is
        # somebody's word that all of it will be handed in; at a return it is none.
        self.known: list[tuple[int, int | None]] = []
        for move in moves:
            self.pass_time(move.at if move.boundary is None else move.boundary)
            self.move(move)
        self.pass_time(until)

    @property
    def windows(self) -> list[Window]:
        """All windows in order; the last is the running one, or the one in which the user was removed."""
        return [*self.past, self.running] if self.running else self.past

    def move(self, move: Move) -> None:
        """Takes a roster line or a removal in."""
        if move.zone is None:
            self.away = move.at
            self.known[-1] = self.known[-1][0], move.at
        elif self.away is not None:
            self.come_back(move)
        elif self.running is None:
            self.come(move, move.since or day_at(move.zone, move.at, move.table), earliest=None)
        else:
            self.wanted = move.zone
            if move.boundary is not None:
                self.follow(move.boundary)

    def pass_time(self, until: int) -> None:
        """Ends the windows that end by then; of a user who is away, the one of the leaving is the last."""
        while self.running and self.running.end <= until:
            if self.extend():
                continue
            boundary = self.running.end
            self.past.append(replace(self.running, is_over=True, is_interrupted=self.away is not None))
            self.running = None
            if self.away is None:
                self.follow(boundary)

    def follow(self, boundary: int) -> None:
        """Lets the window begin that follows at once: by newer tables the date before may not be over there yet."""
        zone, after = self.wanted, self.past[-1].day + DAY
        # A later table may show an earlier date: the first one by which the date that it shows was not closed counts.
        day = max(day_at(zone, boundary, self.table(after)), after)
        self.running = Window(day, boundary, first_instant(zone, day + DAY, self.table(day)), zone, table=self.table(day))

    def table(self, day: date) -> str:
        """The table by which a day is cut: the last one that came before the day was closed."""
        return next((cut.table for cut in reversed(self.cuts) if cut.last is None or day > cut.last), "")

    def extend(self) -> bool:
        """Prolongs the running day when the zone that follows has no later date at its end."""
        running = self.running
        table = running.table
        if self.wanted == running.zone or day_at(self.wanted, running.end, table) > running.day:
            return False
        self.running = replace(running, zone=self.wanted, end=first_instant(self.wanted, running.day + DAY, table))
        return True

    def come(self, move: Move, day: date, earliest: int | None) -> None:
        """Lets the first window after an import begin."""
        self.begin(day, move, earliest)
        # A day has 25 hours at most: soon after a midnight the day before may still be that of the import.
        is_word = earliest is None and move.at - self.running.start >= 25 * HOUR
        self.known.append((self.running.start if is_word else move.at, None))

    def begin(self, day: date, move: Move, earliest: int | None) -> None:
        """Lets the window of an import begin, where the table of then had it, not before the end of what was before."""
        start, table = first_instant(move.zone, day, move.table), self.table(day)
        self.running = Window(day, start if earliest is None else max(start, earliest),
                              first_instant(move.zone, day + DAY, table), move.zone, table=table)
        self.wanted = move.zone

    def come_back(self, move: Move) -> None:
        """Goes on with the day of leaving where that still runs, else begins a later one: days of absence are not judged."""
        self.away = None
        if self.running:
            self.wanted = move.zone
            self.known.append((move.at, None))
            return
        last = self.past[-1]
        day = max(day_at(move.zone, move.at, move.table), last.day + DAY)
        if first_instant(move.zone, day, move.table) == first_instant(move.zone, day + DAY, move.table):
            # The zone has left that date out.
            day += DAY
        self.come(move, day, earliest=last.end)
