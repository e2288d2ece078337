"""Which days a `reconcile` closes, and what is proven absent on them then."""

from datetime import date

from Lives.checks import Inspector
from Lives.facts import API_KINDS, KINDS, LAG, Closed, User
from Lives.rules import DayFacts, RuleBook
from Lives.timeline import Window


def close_ended(inspector: Inspector, number: int, now: int, zones: list[str] | None, limit: str | None) -> None:
    """Closes, for each user in order, the days that have ended; of these zones and up to this date, if they are given.

    Where a user stands between two zones of which only one is in scope, it is uncertain what was closed: no day is
    taken for closed then before a run closes all zones.
    """
    rules = RuleBook(inspector.facts.documents)
    last = date.max if limit in (None, "yesterday") else date.fromisoformat(limit)
    for user in inspector.facts.users.values():
        ended = [window for window in user.windows(now) if window.is_over and window.day not in user.closed]
        if zones and ended:
            concerned = {window.zone for window in [*ended, *user.windows(now)[-1:]]}
            concerned.add(next(move.zone for move in reversed(user.moves) if move.zone))
            if not concerned <= set(zones):
                if concerned & set(zones):
                    inspector.uncertain.add(user.name)
                continue
        was_uncertain = user.name in inspector.uncertain
        for window in ended:
            if window.day > last or not is_settled(inspector, window, now):
                break
            tolerated = rules.of(window.day, number)["activity"]["toleratedGapSeconds"]
            gaps = inspector.facts.gaps(user, window, now, tolerated)
            absent = frozenset(KINDS) - gaps.keys()
            # When a day was closed, and what the inbox proved by then, is uncertain too.
            kinds = set(KINDS) if was_uncertain else set(API_KINDS) if looks_are_lost(inspector, window) else set()
            absent = (absent - kinds) | (kinds & recorded_absent(inspector, user, window))
            day = DayFacts(inspector.facts, rules, user, window)
            known = day.accomplished.keys() | (day.met.keys() - day.rules["missions"].keys())
            unknown = frozenset({*day.rules["missions"], *day.rules["streak"]["countsAs"]}) - absent - known
            # Of what is met, and lasted as long as it must, the ledger does not tell what the looks proved besides.
            absent -= known
            user.closed[window.day] = Closed(number, absent, None if window.is_interrupted or was_uncertain else unknown, gaps=gaps)
        if was_uncertain and ended:
            # By which rules its days were closed is uncertain too, until a plan brings everything in.
            inspector.hazy.add(user.name)
        if last == date.max:
            inspector.uncertain.discard(user.name)


def is_settled(inspector: Inspector, window: Window, now: int) -> bool:
    """Whether the routes can tell all of the date: their answers are older than a look by the lag."""
    return not inspector.facts.has_api or window.end_of_date + LAG <= now


def looks_are_lost(inspector: Inspector, window: Window) -> bool:
    """Whether looks at the day may have been lost with the caches."""
    return inspector.looks_lost_at is not None and window.start <= inspector.looks_lost_at


def recorded_absent(inspector: Inspector, user: User, window: Window) -> set[str]:
    """The kinds that the ledger does not call unknown on the day: what was lost can only make it say so."""
    unknown = {record["mission"] for record in inspector.records() if record["type"] == "unknown"
               and (record["user"], record["day"]) == (user.name, window.day.isoformat())}
    return set(KINDS) - unknown
