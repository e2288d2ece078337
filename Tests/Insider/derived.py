"""Forgeries of what the program derives: levels, streaks, closes, times, evidence, rules. Each is found in the line that was forged."""

from Insider.forge import Forgery

GRANTS, STREAKS, DRAWS, CLOSES, ACTS, DERIVED = 4, 6, 7, 8, 9, 21
# The check that finds it, and the line that the finding must name; nil for any.
Found = tuple[int, int | None]


def level_raised(ledger: Forgery) -> Found:
    level = ledger.one("level", user="ann")
    level["level"] += 1
    return DERIVED, level["seq"]


def level_of_somebody_else(ledger: Forgery) -> Found:
    level = ledger.one("level", user="ann")
    level["user"] = "dan"
    return DERIVED, level["seq"]


def level_of_nobody(ledger: Forgery) -> Found:
    level = ledger.one("level", user="ann")
    level["user"] = "nobody"
    return DERIVED, level["seq"]


def credit_of_nobody(ledger: Forgery) -> Found:
    credit = ledger.one("credit", sender="shop")
    credit["user"] = "nobody"
    return DERIVED, credit["seq"]


def level_twice(ledger: Forgery) -> Found:
    return DERIVED, ledger.append(ledger.one("level", user="ann"))[0]


def streak_lengthened_before(ledger: Forgery) -> Found:
    streak = ledger.one("streak", what="broken")
    streak["before"] = {"length": 80, "cycleDay": 3}
    return DERIVED, streak["seq"]


def break_without_proof(ledger: Forgery) -> Found:
    streak = ledger.one("streak", what="broken")
    del streak["proof"]
    return DERIVED, streak["seq"]


def proof_that_ends_early(ledger: Forgery) -> Found:
    streak = ledger.one("streak", what="broken")
    streak["proof"][0]["through"] = "2026-11-10T20:00:00Z"
    return DERIVED, streak["seq"]


def proof_of_another_source(ledger: Forgery) -> Found:
    streak = ledger.one("streak", what="broken")
    streak["proof"][0]["source"] = "603"
    return DERIVED, streak["seq"]


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


def close_of_more_users(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-05")
    close["users"] += 1
    return CLOSES, close["seq"]


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


def close_of_other_streaks(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-10")
    close["counts"]["broken"] -= 1
    return CLOSES, close["seq"]


def close_with_coins(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-05")
    close["coins"] += 1
    return CLOSES, close["seq"]


def close_without_coins(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-05")
    del close["coins"]
    return CLOSES, close["seq"]


def close_that_ends_later(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-05")
    close["end"] = "2026-11-06T02:00:00Z"
    return DERIVED, close["seq"]


def close_after_an_older_seal(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-05")
    close["head"] = ledger.one("close", day="2026-11-04")["head"]
    return DERIVED, close["seq"]


def close_without_sources(ledger: Forgery) -> Found:
    close = ledger.one("close", day="2026-11-05")
    del close["sources"]
    return DERIVED, close["seq"]


def activity_of_a_route_that_shows_others(ledger: Forgery) -> Found:
    comment = ledger.one("evidence", user="ann", source="inbox")
    comment["source"] = "604"
    return DERIVED, comment["seq"]


def activity_that_ends_before_it_begins(ledger: Forgery) -> Found:
    activity = ledger.one("evidence", user="ann")
    activity["to"] = "2026-11-01T08:00:00Z"
    return DERIVED, activity["seq"]


def points_of_today(ledger: Forgery) -> Found:
    ledger.one("grant", key="ann/2026-11-11/comment")["points"] += 1_000
    return GRANTS, None


def points_of_today_before_a_sale(ledger: Forgery) -> Found:
    sale = {**ledger.one("credit", sender="shop"), "user": "ann", "id": "sold-today", "effective": "2026-11-11T09:00:00Z"}
    ledger.append(sale)
    return points_of_today(ledger)


def coins_of_today(ledger: Forgery) -> Found:
    ledger.one("grant", key="ann/2026-11-11/comment")["coins"] += 1_000
    return GRANTS, None


def item_of_today(ledger: Forgery) -> Found:
    ledger.one("grant", key="ann/2026-11-11/comment")["items"] = ["fontColor/green"]
    return DRAWS, None


def streak_of_today(ledger: Forgery) -> Found:
    ledger.one("grant", key="ann/2026-11-11/login")["streak"]["length"] += 1
    return STREAKS, None


def grant_of_another_hour(ledger: Forgery) -> Found:
    ledger.one("grant", key="ann/2026-11-05/comment")["effective"] = "2026-11-05T18:00:00Z"
    return GRANTS, None


def grant_of_another_hour_today(ledger: Forgery) -> Found:
    grant = ledger.one("grant", key="ann/2026-11-11/comment")
    grant["effective"] = "2026-11-11T18:00:00Z"
    return GRANTS, grant["seq"]


def gift_with_a_streak(ledger: Forgery) -> Found:
    gift = ledger.one("grant", cause="manual")
    gift["streak"] = {"length": 80, "cycleDay": 4}
    return GRANTS, gift["seq"]


def gift_that_is_multiplied(ledger: Forgery) -> Found:
    gift = ledger.one("grant", cause="manual")
    gift["multiplier"] = 7
    return GRANTS, gift["seq"]


def pardon_of_earlier_days(ledger: Forgery) -> Found:
    pardon = ledger.one("excuse")
    pardon["from"] = "2026-11-03"
    return ACTS, pardon["seq"]


def pardon_of_somebody_else(ledger: Forgery) -> Found:
    pardon = ledger.one("excuse")
    pardon["users"] = ["cleo"]
    return ACTS, pardon["seq"]


def pardon_of_everybody(ledger: Forgery) -> Found:
    pardon = ledger.one("excuse")
    del pardon["users"]
    return ACTS, pardon["seq"]


def reversal_of_another_plan(ledger: Forgery) -> Found:
    reversal = ledger.one("reversal")
    reversal["plan"] = "0123456789ab"
    return ACTS, reversal["seq"]


def break_that_leaves_a_cycle(ledger: Forgery) -> Found:
    streak = ledger.one("streak", what="broken")
    streak["after"]["cycleDay"] = 5
    return DERIVED, streak["seq"]


def rules_from_an_earlier_day(ledger: Forgery) -> Found:
    rules = ledger.one("rules", version="2026-11-b")
    rules["effectiveFrom"] = "2026-11-01"
    return DERIVED, rules["seq"]


def grant_of_another_day(ledger: Forgery) -> Found:
    ledger.one("grant", key="ann/2026-11-05/comment")["effective"] = "2026-11-07T08:00:00Z"
    return GRANTS, None


def planned_grant_without_evidence(ledger: Forgery) -> Found:
    planned = next(grant for grant in ledger.of_type("grant") if grant["cause"].startswith("backfill"))
    planned["evidence"] = [ledger.one("evidence", user="ben")["seq"]]
    return GRANTS, None


def planned_grant_of_another_day(ledger: Forgery) -> Found:
    planned = next(grant for grant in ledger.of_type("grant") if grant["cause"].startswith("backfill"))
    planned["effective"] = "2026-11-06T09:00:00Z"
    return GRANTS, None


def grant_of_an_unknown_cause(ledger: Forgery) -> Found:
    grant = ledger.one("grant", key="ann/2026-11-05/comment")
    grant["cause"] = "luck"
    return GRANTS, grant["seq"]


def grant_for_two_lines(ledger: Forgery) -> Found:
    grant = ledger.one("grant", key="ann/2026-11-05/comment")
    grant["evidence"] *= 2
    return GRANTS, grant["seq"]


def rules_of_another_file(ledger: Forgery) -> Found:
    rules = ledger.one("rules", version="2026-11-b")
    rules["document"]["missions"]["comment"]["points"] = 9
    return DERIVED, rules["seq"]


def rules_of_another_program(ledger: Forgery) -> Found:
    rules = ledger.one("rules", version="builtin-2")
    rules["document"]["missions"]["share"]["points"] += 1
    return DERIVED, rules["seq"]


def rules_with_another_draw_secret(ledger: Forgery) -> Found:
    rules = ledger.one("rules", version="builtin-2")
    rules["drawKey"] = "0" * len(rules["drawKey"])
    return DERIVED, rules["seq"]


FORGERIES = [
    level_raised, level_of_somebody_else, level_of_nobody, credit_of_nobody, level_twice, streak_lengthened_before, break_without_proof,
    proof_that_ends_early, proof_of_another_source, held_back_for_no_limit, held_back_for_another_day, refusal_with_amounts, close_of_more_users,
    close_of_other_missions, close_of_other_days, close_of_other_streaks, close_with_coins, close_without_coins, close_that_ends_later,
    close_after_an_older_seal, close_without_sources, activity_of_a_route_that_shows_others, activity_that_ends_before_it_begins, points_of_today,
    points_of_today_before_a_sale, coins_of_today, gift_with_a_streak, gift_that_is_multiplied, pardon_of_earlier_days, pardon_of_somebody_else,
    pardon_of_everybody, reversal_of_another_plan, break_that_leaves_a_cycle, rules_from_an_earlier_day, item_of_today, streak_of_today,
    grant_of_another_hour, grant_of_another_hour_today, grant_of_another_day, planned_grant_without_evidence, planned_grant_of_another_day,
    grant_of_an_unknown_cause, grant_for_two_lines, rules_of_another_file, rules_of_another_program, rules_with_another_draw_secret]
