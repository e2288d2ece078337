#!/usr/bin/env python3
"""What an insider writes into a ledger and seals anew is found by the audit, by name; the honest ledger is not accused.

    insider.py PROGRAM [--only NAME]

An honest installation lives through some days: openings, deliveries, gifts, rules, a plan, a reversal, a pardon, a removal. Then each
forgery is made in a copy of it, by the ledger's definition alone, and the audit must name its line in the check that it belongs to.
"""

import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Insider import derived
from Insider.cases import accusations, play_each
from Insider.forge import Forgery
from Shared.installation import Installation
from Shared.program import Failed, arguments, json_lines

ACTS, HANDS, SEALS = 9, 15, 1
ACCUSING = (ACTS, HANDS, SEALS, derived.GRANTS, derived.STREAKS, derived.DRAWS, derived.CLOSES, derived.DERIVED)
NOON = "2026-11-{:02}T12:00:00Z"
END = NOON.format(12)
# Who do nothing, but are too many to be named in an act.
SILENT = [f"silent{number}" for number in range(51)]
LIMITS = {"pointsByHand": 10_000, "expByHand": 10_000, "coinsByHand": 10_000, "itemsByHand": 10, "expPerCredit": 10_000,
          "boosterDaysPerCredit": 30, "pardonDaysByHand": 14, "perUserAndMonth": 2, "perActorAndMonth": 20, "by": "account"}
# The check that finds it, and the line that the finding must name; nil for any.
Found = tuple[int, int | None]


def live(place: Installation) -> None:
    """An honest fortnight of four users, and of some who do nothing."""
    place.write("users.jsonl", json_lines([
        {"user": "ann", "timezone": "UTC", "opening": {"points": 700, "coins": 30}}, {"user": "ben", "timezone": "UTC", "since": "2026-10-20"},
        {"user": "cleo", "timezone": "UTC"}, {"user": "dan", "timezone": "UTC"},
        *({"user": user, "timezone": "UTC"} for user in SILENT)]))
    place.run("users", "import", "users.jsonl", "--now", NOON.format(1))
    for day in range(2, 10):
        lines = [{"user": user, "kind": kind, "at": f"2026-11-{day:02}T08:00:00Z"}
                 for user in ("ann", "ben", "cleo") for kind in ("login", "comment")]
        lines += [{"user": "ann", "kind": "credit", "at": f"2026-11-{day:02}T08:00:00Z", "id": f"order-{day}", "exp": 20, "points": 5}]
        place.run("ingest", "-", "--now", NOON.format(day), given=json_lines(lines))
        shop = {"user": "ben", "kind": "credit", "at": f"2026-11-{day:02}T08:00:00Z", "id": f"sold-{day}", "exp": 10}
        place.write(f"data/inbox/shop/incoming/{day}.jsonl", json_lines([shop]))
        place.run("reconcile", "--confirm", "--now", NOON.format(day), codes=(0, 1))
    place.run("grant", "ann", "--points", "100", "--reason", "cup", "--id", "cup", "--actor", "alice", "--now", NOON.format(9))
    place.run("reverse", "ben/2026-11-03/comment", "--reason", "spam", "--now", NOON.format(9))
    place.write("rules.json", json.dumps({"version": "2026-11-b", "effectiveFrom": "2026-11-11", "missions": {"comment": {"points": 7}}}))
    place.configure(rules=["./rules.json"])
    place.run("excuse", "--from", "2026-11-06", "--to", "2026-11-07", "--user", "dan", "--reason", "ill", "--now", NOON.format(10))
    many = [word for user in SILENT for word in ("--user", user)]
    place.run("excuse", "--from", "2026-11-05", "--to", "2026-11-05", *many, "--reason", "a fair", "--now", NOON.format(10))
    late = [{"user": "cleo", "kind": kind, "at": f"2026-11-{day}T09:00:00Z"} for kind, day in (("login", "01"), ("share", "04"))]
    place.run("ingest", "-", "--now", NOON.format(10), given=json_lines(late), codes=(0, 1))
    days = ["--from", "2026-11-01", "--to", "2026-11-09", "--user", "cleo"]
    place.run("backfill", *days, "--plan", "plan.json", "--now", NOON.format(10), codes=(0, 1))
    place.run("backfill", "--apply", "plan.json", "--now", NOON.format(10))
    place.run("users", "remove", "dan", "--reason", "left the app", "--now", NOON.format(10))
    place.run("reconcile", "--confirm", "--now", NOON.format(11), codes=(0, 1))
    today = [{"user": "ann", "kind": kind, "at": "2026-11-11T08:00:00Z"} for kind in ("login", "comment")]
    place.run("ingest", "-", "--now", NOON.format(11), given=json_lines(today))


# Forgeries: each alters the records and says what must be found.

def opening_raised(ledger: Forgery) -> Found:
    user = ledger.one("user", user="ann")
    user["opening"]["points"] += 100_000
    return ACTS, user["by"]


def part_of_another_ledger(ledger: Forgery) -> Found:
    ledger.records[0]["partOf"] = "3d7765ef-9362-484f-ad95-9faecd353ddc"
    return HANDS, 1


def opening_of_a_new_id(ledger: Forgery) -> Found:
    user = ledger.one("user", user="ann")
    return ACTS, ledger.append({**without_act(user), "user": "eve"})[0]


def past_of_a_new_id(ledger: Forgery) -> Found:
    user = ledger.one("user", user="ben")
    return ACTS, ledger.append({**without_act(user), "user": "eve", "from": "2025-01-01T00:00:00Z", "since": "2025-01-01"})[0]


def removal_by_nobody(ledger: Forgery) -> Found:
    return ACTS, ledger.append({**without_act(ledger.one("user", removed=True)), "user": "cleo"})[0]


def removal_of_somebody_else(ledger: Forgery) -> Found:
    removal = ledger.one("user", removed=True)
    removal["user"] = "cleo"
    return ACTS, removal["seq"]


def credit_raised(ledger: Forgery) -> Found:
    credit = ledger.one("credit", id="order-5")
    credit["exp"] += 1_000
    return ACTS, credit["by"]


def credit_without_delivery(ledger: Forgery) -> Found:
    return ACTS, ledger.append({**without_act(ledger.one("credit")), "id": "order-99"})[0]


def credit_of_an_old_delivery(ledger: Forgery) -> Found:
    credit = ledger.one("credit")
    ledger.append({**credit, "id": "order-99"})
    return ACTS, credit["by"]


def credit_twice(ledger: Forgery) -> Found:
    return HANDS, ledger.append(ledger.one("credit"))[0]


def activity_without_delivery(ledger: Forgery) -> Found:
    return ACTS, ledger.append({**without_act(ledger.one("evidence", user="cleo")), "kind": "purchase", "from": END, "to": END})[0]


def gift_without_act(ledger: Forgery) -> Found:
    gift = ledger.one("grant", cause="manual")
    return ACTS, ledger.append({**without_act(gift), "key": "ann/manual/more"})[0]


def gift_of_another_act(ledger: Forgery) -> Found:
    gift = ledger.one("grant", cause="manual")
    return ACTS, ledger.append({**gift, "key": "ann/manual/more"})[0]


def gift_raised(ledger: Forgery) -> Found:
    gift = ledger.one("grant", cause="manual")
    gift["points"] += 900
    return ACTS, gift["by"]


def gift_signed_for_less(ledger: Forgery) -> Found:
    gift = ledger.one("grant", cause="manual")
    gift["points"] += 900
    ledger.one("operator", seq=gift["by"])["sums"]["points"] += 900
    return HANDS, gift["seq"]


def grant_of_somebodys_act(ledger: Forgery) -> Found:
    grant = ledger.one("grant", cause="live")
    grant["by"] = ledger.one("operator", act="import")["seq"]
    return ACTS, grant["seq"]


def waiver_of_no_plan(ledger: Forgery) -> Found:
    gift = ledger.one("grant", cause="manual")
    return ACTS, ledger.append({**without_act(gift), "key": "ann/waived/0123456789ab", "mission": "waived", "cause": "backfill:0123456789ab"})[0]


def waiver_of_another_plan(ledger: Forgery) -> Found:
    gift, plan = ledger.one("grant", cause="manual"), ledger.one("operator", act="apply")
    waiver = {**gift, "key": "ann/waived/0123456789ab", "mission": "waived", "cause": f"backfill:{plan['subject']}", "by": plan["seq"]}
    return ACTS, ledger.append(waiver)[0]


def planned_grant_raised(ledger: Forgery) -> Found:
    grant = next(record for record in ledger.of_type("grant") if record["cause"].startswith("backfill:"))
    grant["points"] += 50
    return ACTS, grant["by"]


def reversal_by_nobody(ledger: Forgery) -> Found:
    reversal = ledger.one("reversal")
    return ACTS, ledger.append({**without_act(reversal), "undone": True, "points": 5, "exp": 5})[0]


def rules_by_nobody(ledger: Forgery) -> Found:
    rules = ledger.one("rules", version="2026-11-b")
    del rules["by"]
    return ACTS, rules["seq"]


def pardon_by_nobody(ledger: Forgery) -> Found:
    return ACTS, ledger.append({**without_act(ledger.one("excuse")), "users": ["cleo"]})[0]


def pardon_added_to_another(ledger: Forgery) -> Found:
    pardon = ledger.one("excuse")
    return ACTS, ledger.append({**pardon, "users": ["cleo"]})[0]


def act_that_vanishes(ledger: Forgery) -> Found:
    delivery = ledger.one("operator", act="deliver")
    delivery["act"] = "pause"
    return ACTS, None


def act_of_another_sum(ledger: Forgery) -> Found:
    act = ledger.one("operator", act="import")
    act["sums"]["points"] -= 1
    return ACTS, act["seq"]


def act_without_its_record(ledger: Forgery) -> Found:
    return ACTS, ledger.append({**ledger.one("operator", act="import"), "sums": {"records": 1, "points": 5}})[0]


def history_sealed_anew(ledger: Forgery) -> Found:
    ledger.one("operator", act="excuse")["reason"] = "nothing to see"
    return SEALS, None


def gift_by_one(ledger: Forgery) -> Found:
    """A gift and its act, both forged alike, of what takes two people."""
    return HANDS, give(ledger, "big", 5_000_000)[1]


def gifts_that_add_up(ledger: Forgery) -> Found:
    numbers = [give(ledger, f"small-{number}", 9_000)[1] for number in range(3)]
    return HANDS, numbers[2]


def gift_of_a_forged_request(ledger: Forgery) -> Found:
    """Two names of one account are one person."""
    agree(ledger, "0123456789ab", "grant ann/manual/big: 5000000 points 0 exp 0 coins", "alice (account ops)", "bob (account ops)")
    return HANDS, give(ledger, "big", 5_000_000, request="0123456789ab")[0]


def gift_of_another_request(ledger: Forgery) -> Found:
    agree(ledger, "0123456789ab", "grant ben/manual/big: 5000000 points 0 exp 0 coins", "alice", "bob")
    return HANDS, give(ledger, "big", 5_000_000, request="0123456789ab")[0]


def gift_without_its_approval(ledger: Forgery) -> Found:
    agree(ledger, "0123456789ab", "grant ann/manual/big: 5000000 points 0 exp 0 coins", "alice", None)
    return HANDS, give(ledger, "big", 5_000_000, request="0123456789ab")[0]


def approval_used_twice(ledger: Forgery) -> Found:
    agree(ledger, "0123456789ab", "grant ann/manual/big: 5000000 points 0 exp 0 coins", "alice", "bob")
    act = give(ledger, "big", 5_000_000, request="0123456789ab")[0]
    again = {name: value for name, value in ledger.one("operator", seq=act).items() if name != "sums"}
    return HANDS, ledger.append(again)[0]


def opening_by_one(ledger: Forgery) -> Found:
    act, user = ledger.one("operator", act="import"), ledger.one("user", user="ann")
    user["opening"]["points"] = 5_000_000
    act["sums"]["points"] = 5_000_000
    return HANDS, act["seq"]


def past_by_one(ledger: Forgery) -> Found:
    ben = ledger.one("user", user="ben")
    ben["since"], ben["from"] = "2016-10-20", "2016-10-20T00:00:00Z"
    return HANDS, ben["seq"]


def credit_by_one(ledger: Forgery) -> Found:
    delivery, credit = ledger.one("operator", act="deliver"), ledger.one("credit")
    more = 50_000
    credit["points"] += more
    delivery["sums"]["points"] += more
    return HANDS, credit["seq"]


def limits_raised_by_one(ledger: Forgery) -> Found:
    return HANDS, ledger.append({**operator("limits", "approval"), "limits": LIMITS | {"pointsByHand": 10 ** 9}})[0]


def rules_by_one(ledger: Forgery) -> Found:
    rules = ledger.one("rules", version="2026-11-b")
    rules["document"]["missions"]["comment"]["points"] = 5_000_000
    rules["document"]["limits"] = {"pointsPerUserDay": 10 ** 9}
    return HANDS, rules["seq"]


def pardon_by_one(ledger: Forgery) -> Found:
    pardon = ledger.one("excuse")
    pardon["to"] = "2026-12-10"
    return HANDS, pardon["seq"]


def credit_of_no_source(ledger: Forgery) -> Found:
    return ACTS, ledger.append({**ledger.one("credit", sender="shop"), "id": "sold-99", "sender": "bank"})[0]


def activity_of_a_shop(ledger: Forgery) -> Found:
    activity = without_act(ledger.one("evidence", user="cleo"))
    return ACTS, ledger.append({**activity, "kind": "purchase", "from": END, "to": END, "sender": "shop"})[0]


def credit_beyond_a_brake(ledger: Forgery) -> Found:
    return HANDS, ledger.append({**ledger.one("credit", sender="shop"), "id": "sold-99", "exp": 1_001})[0]


def credits_beyond_a_brake(ledger: Forgery) -> Found:
    credit = ledger.one("credit", sender="shop")
    return HANDS, ledger.append(*({**credit, "id": f"sold-{number}", "exp": 900} for number in range(10, 13)))[2]


def source_credit_by_one(ledger: Forgery) -> Found:
    credit = {**ledger.one("credit", sender="shop"), "id": "sold-99", "exp": 1_001, "request": "0123456789ab"}
    what, reason = f"credit ben 1001 exp at {credit['effective']}, id sold-99", "a credit line of the source shop beyond its limits"
    ledger.append({**operator("request", "0123456789ab", what=what), "actor": "shop", "reason": reason})
    ledger.append({**operator("approve", "0123456789ab", what=what), "reason": reason})
    return HANDS, ledger.append(credit)[0]


def reversal_by_one(ledger: Forgery) -> Found:
    """The gift is small; the limits were lowered below it."""
    ledger.append({**operator("limits", "approval"), "limits": LIMITS | {"pointsByHand": 50}})
    act = len(ledger.records) + 1
    gift = ledger.one("grant", cause="manual")
    ledger.append({**operator("apply", "1234567890ab"), "sums": {"records": 1, "points": -gift["points"]}},
                  {**ledger.one("reversal"), "key": gift["key"], "user": "ann", "points": -gift["points"], "exp": 0, "coins": 0, "by": act})
    return HANDS, act


def sources_by_one(ledger: Forgery) -> Found:
    act = ledger.one("operator", act="sources")
    shop = {**act["sources"][0], "perDay": 10 ** 9}
    return HANDS, ledger.append({**operator("sources", "sources"), "sources": [shop]})[0]


def release_by_one(ledger: Forgery) -> Found:
    key = "ann/2026-11-09/share"
    held = {"type": "refused", "user": "ann", "day": "2026-11-09", "what": "heldBack", "key": key, "detail": "too much", "points": 50_000, "exp": 0,
            "coins": 0}
    return HANDS, ledger.append(held, {**operator("release", key), "sums": {"records": 0}})[1]


def import_of_other_openings(ledger: Forgery) -> Found:
    """Two people agreed on as much for two others."""
    act = bring_in(ledger, {"eve": 20_000, "fay": 20_000}, {"eve": 39_000, "fay": 1_000})
    return HANDS, act


def bring_in(ledger: Forgery, agreed: dict[str, int], brought: dict[str, int]) -> int:
    """An import of openings on which two people agreed, and what it brings; returns the line of its act."""
    ann = ledger.one("user", user="ann")

    def opening(points: int) -> dict:
        return {**{name: value for name, value in ann["opening"].items() if name != "coins"}, "points": points}

    told = sorted(f"{name}  {json.dumps(opening(points), separators=(',', ':'))}" for name, points in agreed.items())
    words = f"opening balances: {sum(agreed.values())} points 0 exp 0 coins; users {len(agreed)}"
    agree(ledger, "0123456789ab", f"import {words}; entries {hashlib.sha256(chr(10).join(told).encode()).hexdigest()[:16]}", "alice", "bob")
    act = len(ledger.records) + 1
    sums = {"records": len(brought), "points": sum(brought.values())}
    ledger.append({**operator("import", "roster", what=words), "sums": sums, "request": "0123456789ab"}, *(
        {**ann, "user": name, "opening": opening(points), "by": act} for name, points in brought.items()))
    return act


def operator(act: str, subject: str, **more: object) -> dict:
    """An operator's line."""
    return {"at": END.replace("Z", ".000Z"), "type": "operator", "act": act, "subject": subject, "reason": "cup", "actor": "mallory", **more}


def agree(ledger: Forgery, number: str, what: str, asked: str, approver: str | None) -> None:
    """Has somebody request something, and perhaps somebody approve it."""
    ledger.append({**operator("request", number, what=what), "actor": asked})
    if approver:
        ledger.append({**operator("approve", number, what=what), "actor": approver})


def give(ledger: Forgery, name: str, points: int, **more: object) -> tuple[int, int]:
    """A gift with its act, both as the program writes them; returns their lines."""
    gift = ledger.one("grant", cause="manual")
    key = f"ann/manual/{name}"
    act = ledger.append({**operator("grant", key, what=f"{points} points 0 exp 0 coins"), "sums": {"records": 1, "points": points}, **more})[0]
    return act, ledger.append({**gift, "key": key, "points": points, "by": act})[0]


def without_act(record: dict) -> dict:
    """A record that names nobody's act."""
    return {name: value for name, value in record.items() if name != "by"}


FORGERIES: list[Callable[[Forgery], Found]] = [
    part_of_another_ledger, opening_raised, opening_of_a_new_id, past_of_a_new_id, removal_by_nobody, removal_of_somebody_else, credit_raised,
    credit_without_delivery, credit_of_an_old_delivery, credit_twice, activity_without_delivery, gift_without_act, gift_of_another_act,
    gift_raised, gift_signed_for_less, grant_of_somebodys_act, waiver_of_no_plan, waiver_of_another_plan, planned_grant_raised,
    reversal_by_nobody, rules_by_nobody, pardon_by_nobody, pardon_added_to_another, act_that_vanishes, act_of_another_sum, act_without_its_record,
    gift_by_one, gifts_that_add_up, gift_of_a_forged_request, gift_of_another_request, gift_without_its_approval, approval_used_twice,
    opening_by_one, past_by_one, credit_by_one, limits_raised_by_one, rules_by_one, pardon_by_one, credit_of_no_source, activity_of_a_shop,
    credit_beyond_a_brake, credits_beyond_a_brake, sources_by_one, release_by_one, import_of_other_openings, source_credit_by_one,
    reversal_by_one, history_sealed_anew, *derived.FORGERIES]


def audit(place: Installation, heads: Path | None = None) -> dict:
    """The audit's report, held against published heads if there are any."""
    words = ["--heads", str(heads)] if heads else []
    return place.run("audit", *words, "--now", END, "--format", "json", codes=None).document


def copy(program: Path, honest: Installation, folder: Path) -> tuple[Installation, Forgery]:
    """A copy of an installation without its caches, and its ledger."""
    shutil.copytree(honest.folder, folder)
    place = Installation(program, folder, dict(honest.settings))
    shutil.rmtree(place.state, ignore_errors=True)
    return place, Forgery(place.ledger)


def play(program: Path, honest: Installation, heads: Path, forge: Callable[[Forgery], Found], folder: Path) -> str:
    """Makes one forgery in a copy; returns what was found, or raises `Failed`."""
    place, ledger = copy(program, honest, folder)
    check, seq = forge(ledger)
    ledger.write()
    # Published heads tell at once that something was sealed anew; here they are for what nothing else can find.
    report = audit(place, heads if forge is history_sealed_anew else None)
    findings = [(each["id"], finding) for each in report["checks"] for finding in each["findings"]]
    for number, finding in findings:
        if number == check and seq in (None, finding.get("seq")):
            return f"check {number}: {finding['text'][:110]}"
    raise Failed(f"check {check} does not name line {seq}: {[(number, finding.get('seq'), finding['text'][:80]) for number, finding in findings]}")


def main() -> int:
    """Prints a row for each forgery; ends with 1 when one was not found, or an honest ledger is accused."""
    parser = arguments(__doc__)
    parser.add_argument("--only", choices=[forge.__name__ for forge in FORGERIES])
    chosen = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="insider-") as temporary:
        honest = Installation(chosen.program, Path(temporary) / "honest", {
            "users": "./users.jsonl",
            "sources": {"shop": {"credits": ["exp"], "perLine": {"exp": 1_000}, "perUserAndDay": 2}}, "relay": {"heads": {"kind": "file", "path": "./heads.jsonl", "events": ["day.closed"]}}})
        live(honest)
        heads = honest.write("heads", "".join(
            f"{record['seq']}:{record['hash']}\n" for record in Forgery(honest.ledger).of_type("seal")))
        accused = accusations(audit(honest, heads), ACCUSING)
        print(f"the honest ledger: {'accused of ' + '; '.join(accused) if accused else 'not accused'}")
        failed += bool(accused)
        failed += play_each(
            FORGERIES, chosen.only, lambda number, forge: play(chosen.program, honest, heads, forge, Path(temporary) / str(number)),
            "NOT FOUND")
    print(f"{len(FORGERIES)} forgeries: " + (f"{failed} failed" if failed else "each was found by name"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
