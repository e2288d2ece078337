"""What could be seen: all that the looks and the inbox told, and what that proves not to have happened."""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from api import Look
from oracle import Window
from world import API_KINDS, Activity, Credit

LAG = timedelta(seconds=10)
EVER = datetime.min.replace(tzinfo=timezone.utc)


@dataclass(frozen=True)
class Reading:
    """One inbox file: when it was read, its lines, and up to where it says to be complete."""

    at: datetime
    activities: tuple[Activity, ...]
    credits: tuple[Credit, ...]
    complete_through: datetime | None


class Sight:
    """Everything that reached the program, in the order in which it did."""

    def __init__(self, known_since: datetime):
        self.known_since = known_since
        self.readings: list[Reading] = []
        self._looks: dict[tuple[str, str], list[Look]] = {}

    def take(self, look: Look) -> None:
        """Notes a look that was answered, or not."""
        self._looks.setdefault((look.user, look.kind), []).append(look)

    def shown(self, user: str) -> set[tuple[str, datetime, datetime]]:
        """Kind, first and last instant of all that was told of a user; what goes on, up to the look less the lag."""
        told = {(look.kind, start, end or max(start, look.at - LAG))
                for kind in API_KINDS for look in self._looks.get((user, kind), ()) for start, end in look.seen or ()}
        return told | {(a.kind, a.start, a.end) for r in self.readings for a in r.activities if a.user == user}

    def proves_absence(self, user: str, kind: str, day: Window, by: datetime) -> bool:
        """Whether what was told by then leaves no gap in the day in which something unseen may have happened."""
        if kind not in API_KINDS:
            marks = [r.complete_through for r in self.readings if r.complete_through and r.at <= by]
            return covers(day, [(self.known_since, max(marks, default=self.known_since))])
        # Looks of long before prove nothing that a later one does not.
        looks = (look for look in self._looks.get((user, kind), ()) if day.start <= look.at <= by)
        return covers(day, [span for look in looks for span in proven(look)])


def proven(look: Look) -> list[tuple[datetime, datetime]]:
    """The spans of time of which a look tells everything."""
    if look.seen is None:
        return []
    if look.kind == "watch" or not look.seen:
        return [(EVER, look.at - LAG)]
    start, end = look.seen[-1]
    # The last one itself, and the silence after it.
    return [(start, look.at - LAG)] if start <= look.at - LAG else []


def covers(day: Window, spans: list[tuple[datetime, datetime]]) -> bool:
    """Whether the spans together hold the whole window."""
    reached = day.start
    for start, end in sorted(spans):
        if start > reached:
            break
        reached = max(reached, end)
    return reached >= day.end
