"""Forgeries of what the program derives: levels, streaks, closes, times, evidence, rules. Each is found in the line that was forged."""

from collections.abc import Callable

from Insider.forge import Forgery

GRANTS, STREAKS, DRAWS, CLOSES, ACTS, DERIVED = 4, 6, 7, 8, 9, 21
# The check that finds it, and the line that the finding must name; nil for any.
Found = tuple[int, int | None]
GONE = object()


def altered(name: str, check: int, record: tuple[str, dict], *path: str | int, to: object, names_line: bool = True) -> Callable[[Forgery], Found]:
    """A forgery of one member of one record: the first of a type that has these members, and the way to the one to set, change or drop."""
    def forge(ledger: Forgery) -> Found:
        kind, members = record
        found = holder = ledger.one(kind, **members)
        for step in path[:-1]:
            holder = holder[step]
        if to is GONE:
            del holder[path[-1]]
        else:
            holder[path[-1]] = to(holder[path[-1]]) if callable(to) else to
        return check, found["seq"] if names_line else None
    forge.__name__ = name.replace(" ", "_")
    return forge


def more(number: int) -> Callable[[int], int]:
    """Raises a number by another."""
    return lambda value: value + number


NEWCOMER = "user", {"user": "cleo"}
LEVEL = "level", {"user": "ann"}
BREAK = "streak", {"what": "broken"}
CLOSE, LATER_CLOSE = ("close", {"day": "2026-11-05"}), ("close", {"day": "2026-11-10"})
COMMENT = "grant", {"key": "ann/2026-11-05/comment"}
COMMENT_TODAY, LOGIN_TODAY = ("grant", {"key": "ann/2026-11-11/comment"}), ("grant", {"key": "ann/2026-11-11/login"})
GIFT, PARDON, REVERSAL = ("grant", {"cause": "manual"}), ("excuse", {}), ("reversal", {})
FAIR, ADJUSTED = ("excuse", {"reason": "a fair"}), ("grant", {"key": "cleo/2026-11-06/comment#1"})
OWN_RULES, FIRST_RULES = ("rules", {"version": "2026-11-b"}), ("rules", {"version": "builtin-2"})

POINTS_OF_TODAY = altered("points of today", GRANTS, COMMENT_TODAY, "points", to=more(1_000), names_line=False)
ALTERED = [
    altered("level raised", DERIVED, LEVEL, "level", to=more(1)),
    altered("level of somebody else", DERIVED, LEVEL, "user", to="dan"),
    altered("level of nobody", DERIVED, LEVEL, "user", to="nobody"),
    altered("credit of nobody", DERIVED, ("credit", {"sender": "shop"}), "user", to="nobody"),
    altered("streak lengthened before", DERIVED, BREAK, "before", to={"length": 80, "cycleDay": 3}),
    altered("break without proof", DERIVED, BREAK, "proof", to=GONE),
    altered("break that leaves a cycle", DERIVED, BREAK, "after", "cycleDay", to=5),
    altered("proof that ends early", DERIVED, BREAK, "proof", 0, "through", to="2026-11-10T20:00:00Z"),
    altered("proof of another source", DERIVED, BREAK, "proof", 0, "source", to="603"),
    altered("close of more users", CLOSES, CLOSE, "users", to=more(1)),
    altered("close of other streaks", CLOSES, LATER_CLOSE, "counts", "broken", to=more(-1)),
    altered("close with coins", CLOSES, CLOSE, "coins", to=more(1)),
    altered("close without coins", CLOSES, CLOSE, "coins", to=GONE),
    altered("close that ends later", DERIVED, CLOSE, "end", to="2026-11-06T02:00:00Z"),
    altered("close without sources", DERIVED, CLOSE, "sources", to=GONE),
    altered("activity of a route that shows others", DERIVED, ("evidence", {"user": "ann", "source": "inbox"}), "source", to="604"),
    altered("activity that ends before it begins", DERIVED, ("evidence", {"user": "ann"}), "to", to="2026-11-01T08:00:00Z"),
    POINTS_OF_TODAY,
    altered("coins of today", GRANTS, COMMENT_TODAY, "coins", to=more(1_000), names_line=False),
    altered("item of today", DRAWS, COMMENT_TODAY, "items", to=["fontColor/green"], names_line=False),
    altered("streak of today", STREAKS, LOGIN_TODAY, "streak", "length", to=more(1), names_line=False),
    altered("gift with a streak", GRANTS, GIFT, "streak", to={"length": 80, "cycleDay": 4}),
    altered("gift that is multiplied", GRANTS, GIFT, "multiplier", to=7),
    altered("gift at a time to come", GRANTS, GIFT, "effective", to="2026-11-09T18:00:00Z"),
    altered("gift for an earlier day", GRANTS, GIFT, "day", to="2026-11-07"),
    altered("gift for a later day", CLOSES, GIFT, "day", to="2026-11-11", names_line=False),
    altered("gift by other rules", GRANTS, GIFT, "rules", to="none"),
    altered("first day before the first", DERIVED, NEWCOMER, "since", to="2026-10-30"),
    altered("first day that begins before", DERIVED, NEWCOMER, "from", to="2026-10-31T00:00:00Z"),
    altered("removal at a time to come", DERIVED, ("user", {"removed": True}), "from", to="2026-11-10T18:00:00Z"),
    altered("adjustment of another base", ACTS, ADJUSTED, "expBase", to=more(5)),
    altered("adjustment by another factor", ACTS, ADJUSTED, "multiplier", to=7),
    altered("pardon of another of many", ACTS, FAIR, "users", 7, to="cleo", names_line=False),
    altered("pardon of earlier days", ACTS, PARDON, "from", to="2026-11-03"),
    altered("pardon of somebody else", ACTS, PARDON, "users", to=["cleo"]),
    altered("pardon of everybody", ACTS, PARDON, "users", to=GONE),
    altered("pardon by somebody else", ACTS, PARDON, "actor", to="mallory"),
    altered("reversal of another plan", ACTS, REVERSAL, "plan", to="0123456789ab"),
    altered("grant of another hour", GRANTS, COMMENT, "effective", to="2026-11-05T18:00:00Z", names_line=False),
    altered("grant of another hour today", GRANTS, COMMENT_TODAY, "effective", to="2026-11-11T18:00:00Z"),
    altered("grant of another day", GRANTS, COMMENT, "effective", to="2026-11-07T08:00:00Z", names_line=False),
    altered("grant of an unknown cause", GRANTS, COMMENT, "cause", to="luck"),
    altered("grant for two lines", GRANTS, COMMENT, "evidence", to=lambda lines: lines * 2),
    altered("rules from an earlier day", DERIVED, OWN_RULES, "effectiveFrom", to="2026-11-01"),
    altered("rules of another file", DERIVED, OWN_RULES, "document", "missions", "comment", "points", to=9),
    altered("rules of another program", DERIVED, FIRST_RULES, "document", "missions", "share", "points", to=more(1)),
    altered("rules with another draw secret", DERIVED, FIRST_RULES, "drawKey", to=lambda key: "0" * len(key)),
]


def level_twice(ledger: Forgery) -> Found:
    return DERIVED, ledger.append(ledger.one("level", user="ann"))[0]


def held_back_for_no_limit(ledger: Forgery) -> Found:
    key = "ann/2026-11-12/share"
    return DERIVED, ledger.append({
        "type": "refused", "user": "ann", "day": "2026-11-12", "what": "heldBack", "key": key, "detail": "too much", "points": 500, "exp": 0})[0]


def held_back_for_another_day(ledger: Forgery) -> Found:
    return DERIVED, ledger.append({
        "type": "refused", "user": "ann", "day": "2026-11-12", "what": "heldBack", "key": "ann/2026-11-11/share", "detail": "too much",
        "points": 50_000, "exp": 0})[0]


def refusal_with_amounts(ledger: Forgery) -> Found:
    return DERIVED, ledger.append({
        "type": "refused", "user": "ann", "what": "badEvidence", "detail": "route 605: bad", "points": 500, "exp": 0})[0]


def close_of_other_missions(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-05")
    close["counts"]["met"] += 1
    close["counts"]["notMet"] -= 1
    return CLOSES, close["seq"]


def close_of_other_days(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-10")
    close["counts"]["missed"] -= 1
    close["counts"]["held"] += 1
    return CLOSES, close["seq"]


def close_after_an_older_seal(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-05")
    close["head"] = ledger.one("close", day="2026-11-04")["head"]
    return DERIVED, close["seq"]


def points_of_today_before_a_sale(ledger: Forgery) -> Found:
    sale = {**ledger.one("credit", sender="shop"), "user": "ann", "id": "sold-today", "effective": "2026-11-11T09:00:00Z"}
    ledger.append(sale)
    return POINTS_OF_TODAY(ledger)


def plan_that_goes_on(ledger: Forgery) -> Found:
    planned = [grant for grant in ledger.of_type("grant") if grant["cause"].startswith("backfill")]
    stated = next(grant for grant in planned if "settled" in grant)
    planned[0]["settled"] = stated["settled"]
    return DERIVED, planned[1]["seq"]


def waiver_of_more_than_is_lost(ledger: Forgery) -> Found:
    plan = "0123456789ab"
    act = {"type": "operator", "act": "apply", "subject": plan, "what": "500 points", "reason": "a gift", "actor": "root",
           "sums": {"records": 1, "points": 500}}
    waiver = {**ledger.one("grant", cause="manual"), "key": f"ann/waived/{plan}", "day": "2026-11-10", "mission": "waived", "points": 500,
              "effective": "2026-11-11T00:00:00Z", "cause": f"backfill:{plan}", "by": len(ledger.records) + 1}
    return DERIVED, ledger.append(act, waiver)[1]


def newcomer_without_a_first_day(ledger: Forgery) -> Found:
    newcomer = {name: value for name, value in ledger.one("user", user="cleo").items() if name != "since"}
    return DERIVED, ledger.append({**newcomer, "user": "eve", "from": "2026-11-11T00:00:00Z"})[0]


def planned_grant_without_evidence(ledger: Forgery) -> Found:
    planned = next(grant for grant in ledger.of_type("grant") if grant["cause"].startswith("backfill"))
    planned["evidence"] = [ledger.one("evidence", user="ben")["seq"]]
    return GRANTS, None


def planned_grant_of_another_day(ledger: Forgery) -> Found:
    planned = next(grant for grant in ledger.of_type("grant") if grant["cause"].startswith("backfill"))
    planned["effective"] = "2026-11-06T09:00:00Z"
    return GRANTS, None


FORGERIES = [
    *ALTERED,
    level_twice, held_back_for_no_limit, held_back_for_another_day, refusal_with_amounts, close_of_other_missions, close_of_other_days,
    close_after_an_older_seal, points_of_today_before_a_sale, plan_that_goes_on, waiver_of_more_than_is_lost,
    newcomer_without_a_first_day, planned_grant_without_evidence, planned_grant_of_another_day]
