"""Rules documents, and what one day of a user is by them."""

from datetime import date

from Lives.facts import Facts, User
from Lives.timeline import Window


class RuleBook:
    """The documents in the order in which they came into use; one that corrects another stands in its place."""

    def __init__(self, documents: list[tuple[int, dict]]):
        self.documents = documents
        self._in_force: dict[tuple[date, int], dict] = {}

    def of(self, day: date, known: int) -> dict:
        """The document in force on the day, of those that had come into use with the command of this number."""
        if (day, known) not in self._in_force:
            there = [document for number, document in self.documents if number <= known]
            corrected = {document.get("corrects") for document in there}
            self._in_force[day, known] = max(
                (d for d in there if d["version"] not in corrected and d["effectiveFrom"] <= day.isoformat()),
                key=lambda document: document["effectiveFrom"])
        return self._in_force[day, known]


class DayFacts:
    """One day of a user by what counts for it: its rules, the kinds that are met, and how it is for the streak."""

    def __init__(self, facts: Facts, rules: RuleBook, user: User, window: Window):
        self.window, self.known = window, user.known(window.day)
        self.rules = rules.of(window.day, self.known)
        # Each kind that is met, and each mission, with its effective time.
        self.met = self.find_met(user)
        self.accomplished = self.find_accomplished(user)
        self.credits = [credit for credit in user.credits.values()
                        if credit.number <= self.known and (credit.key or credit.concerns_days)]
        self.closed = user.closed.get(window.day)
        self.is_excused = any(excuse.number <= self.known and excuse.covers(user.name, window.day)
                              for excuse in facts.excuses) or self.closed is not None and any(
            outage.number <= self.known and outage.hid(self.closed, self.rules["streak"]["countsAs"]) for outage in facts.outages)

    def find_met(self, user: User) -> dict[str, int]:
        """The kinds that touch the day, or, where the rules say so, that start on it."""
        window, met = self.window, {}
        starts_only = self.rules["activity"]["counts"] == "starts"
        for (kind, start, end), number in user.evidence.items():
            if number > self.known or not window.is_touched(start, end) or (starts_only and start < window.start):
                continue
            at = max(start, window.start)
            met[kind] = min(met.get(kind, at), at)
        return met

    def find_accomplished(self, user: User) -> dict[str, int]:
        """The missions that are met: by what touches the day, or, where they must last, by what lasted long enough."""
        found = {}
        for mission, terms in self.rules["missions"].items():
            at = self.lasted(user, mission, terms["minMinutes"] * 60) if "minMinutes" in terms else self.met.get(mission)
            if at is not None:
                found[mission] = at
        return found

    def lasted(self, user: User, mission: str, least: int) -> int | None:
        """When the user had done something for so long on the day; `None` when that is not known."""
        window, reached = self.window, self.window.start
        spans = sorted((start, end) for (kind, start, end), number in user.evidence.items()
                       if kind == mission and number <= self.known)
        for start, end in spans:
            if self.rules["activity"]["counts"] == "starts" and not window.start <= start < window.end:
                continue
            start, end = max(start, reached), min(end, window.end)
            if start + least <= end:
                return start + least
            if start < end:
                least, reached = least - (end - start), end
        return None

    @property
    def first_counted(self) -> int | None:
        """The instant of the first activity that counts for the streak."""
        return min((self.met[kind] for kind in self.rules["streak"]["countsAs"] if kind in self.met), default=None)

    @property
    def standing(self) -> str:
        """How the day is for the streak: counted, excused, missed or held; `pending` before its close."""
        if self.first_counted is not None:
            return "counted"
        if self.closed is None:
            return "pending"
        if self.is_excused:
            return "excused"
        is_proven = self.closed.absent.issuperset(self.rules["streak"]["countsAs"])
        is_whole = not self.window.is_shortened and not self.window.is_interrupted
        return "missed" if is_proven and is_whole else "held"

    def verdict(self, mission: str) -> str:
        """Whether the mission is met on this closed day."""
        if mission in self.accomplished:
            return "met"
        return "notMet" if mission in self.closed.absent else "unknown"
