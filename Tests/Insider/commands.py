#!/usr/bin/env python3
"""What one person tries with commands, files and the configuration, alone and from one account: none of it gives more than one person may.

    commands.py PROGRAM [--only NAME]

Each trick is played in a copy of an honest installation. Afterwards mallory has no more than one person may give a user in a month, the
audit accuses nobody of what was refused, and whoever tried waits for a second person where the trick asks for more.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Insider.cases import accusations, play_each
from Insider.derived import CLOSES, DERIVED, GRANTS
from Shared.installation import Installation
from Shared.program import Failed, arguments, json_lines

ME = "mallory"
NOW, LATER, END = "2026-11-12T09:00:00Z", "2026-11-12T10:00:00Z", "2026-11-13T12:00:00Z"
# What one person may give a user in a month, twice an act's limit, and what a day of every mission brings under the built-in rules, for
# the days of the test.
MOST = {"points": 20_000 + 12 * 1_000, "expTotal": 20_000 + 12 * 2_000, "coins": 20_000 + 12 * 1_000}
MOST_ITEMS = 20 + 12
RULES = "rules.json"
ACTS, HANDS = 9, 15


class Attempt:
    """An installation in one person's hands."""

    def __init__(self, place: Installation):
        self.place = place

    def run(self, *words: str, at: str = NOW, given: str = "", **variables: str) -> str:
        """Runs a command, however it ends; returns what it printed."""
        answer = self.place.run(*words, "--now", at, given=given, codes=None, **variables)
        return answer.out + answer.err

    def waiting(self) -> list[str]:
        """The ids of the requests that wait for somebody."""
        answer = self.place.run("approvals", "--format", "json", "--now", NOW, codes=None)
        return [request["id"] for request in answer.document["requests"]]

    def hand_in(self, *lines: dict, at: str = NOW, words: tuple[str, ...] = ()) -> str:
        """Hands lines about mallory in."""
        return self.run("ingest", "-", *words, at=at, given=json_lines({"user": ME, **line} for line in lines))

    def drop(self, folder: str, *lines: dict) -> None:
        """Puts lines about mallory into an inbox folder."""
        path = self.place.data / "inbox" / folder / "mine.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json_lines({"user": ME, **line} for line in lines))
        self.run("reconcile", "--confirm")

    def approve_all(self, *words: str) -> None:
        """Approves whatever waits, twice."""
        for _ in range(2):
            for number in self.waiting():
                self.run("approve", number, *words, at=LATER)

    def bring_in(self, *lines: dict) -> str:
        """Imports users."""
        self.place.write("mine.jsonl", json_lines(lines))
        return self.run("users", "import", "mine.jsonl")

    def use_rules(self, **document: object) -> str:
        """Configures a rules document."""
        self.place.write(RULES, json.dumps({"version": "mine", "effectiveFrom": "2026-11-12"} | document))
        self.place.configure(rules=[f"./{RULES}"])
        return self.run("reconcile", "--confirm")


def credit(number: int = 1, **gives: object) -> dict:
    """A credit line."""
    return {"kind": "credit", "at": "2026-11-12T08:00:00Z", "id": f"mine-{number}", **gives}


GIFT = ("grant", ME, "--points", "5000000", "--reason", "cup", "--id", "cup")


def a_large_gift(me: Attempt) -> None:
    me.run(*GIFT)


def a_gift_of_exp(me: Attempt) -> None:
    me.run("grant", ME, "--exp", "5000000", "--reason", "cup")


def a_gift_of_coins(me: Attempt) -> None:
    me.run("grant", ME, "--coins", "5000000", "--reason", "cup")


def a_gift_of_items(me: Attempt) -> None:
    me.run("grant", ME, *(word for number in range(50) for word in ("--item", f"badge/{number}")), "--reason", "cup")


def gifts_that_add_up(me: Attempt) -> None:
    for number in range(9):
        me.run("grant", ME, "--points", "9999", "--reason", "cup", "--id", f"cup-{number}")


def gifts_on_several_days(me: Attempt) -> None:
    for number in range(9):
        me.run("grant", ME, "--points", "9999", "--reason", "cup", "--id", f"cup-{number}", at=f"2026-11-12T{10 + number}:00:00Z")


def a_gift_approved_by_who_asked(me: Attempt) -> None:
    me.run(*GIFT)
    me.approve_all()
    me.run(*GIFT)


def a_gift_repeated_with_its_approval(me: Attempt) -> None:
    me.run(*GIFT)
    for number in me.waiting():
        me.run(*GIFT, "--approve", number)


def two_names_of_one_account(me: Attempt) -> None:
    me.run(*GIFT, "--actor", "alice")
    for number in me.waiting():
        me.run(*GIFT, "--approve", number, "--actor", "bob")


def a_name_and_none(me: Attempt) -> None:
    me.run(*GIFT)
    me.approve_all("--actor", "bob")
    me.run(*GIFT, "--actor", "bob")


def the_name_of_an_account(me: Attempt) -> None:
    me.run(*GIFT, "--actor", "bob (account daemon)")
    me.approve_all("--actor", "carol (account mail)")
    me.run(*GIFT, "--actor", "bob (account daemon)")


def a_variable(me: Attempt) -> None:
    me.run(*GIFT, REWARDS_APPROVAL_POINTS_BY_HAND="1000000000")


def a_limit_in_the_configuration(me: Attempt) -> None:
    me.place.configure(approval={"pointsByHand": 10 ** 9})
    me.run("reconcile", "--confirm")
    me.approve_all()
    me.run(*GIFT)


def names_for_accounts(me: Attempt) -> None:
    me.place.configure(approval={"by": "actor"})
    me.run("reconcile", "--confirm")
    me.approve_all()
    two_names_of_one_account(me)


def months_that_count_for_nothing(me: Attempt) -> None:
    me.place.configure(approval={"perUserAndMonth": 1_000, "perActorAndMonth": 1_000})
    me.approve_all()
    gifts_that_add_up(me)


def an_own_signature(me: Attempt) -> None:
    me.place.write("signers", f"{ME} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJcLk6Vz4xTJ6cD0mJ8y0pT2b0l3Ssbv5m8Gk1rGZb1H\n")
    me.place.configure(approval={"signers": "./signers", "by": "signature"})
    me.run("reconcile", "--confirm")
    me.approve_all()
    me.run(*GIFT)


def an_opening_balance(me: Attempt) -> None:
    me.bring_in({"user": "mallory2", "timezone": "UTC", "opening": {"points": 5_000_000}})


def an_opening_beside_a_larger_one(me: Attempt) -> None:
    me.bring_in({"user": "rich", "timezone": "UTC", "opening": {"points": 6_000_000}},
                {"user": "mallory2", "timezone": "UTC", "opening": {"points": 5_000_000}})


def an_opening_of_items(me: Attempt) -> None:
    me.bring_in({"user": "mallory2", "timezone": "UTC", "opening": {"items": [f"badge/{number}" for number in range(60)]}})


def an_opening_for_somebody_who_is_there(me: Attempt) -> None:
    me.bring_in({"user": ME, "timezone": "UTC", "opening": {"points": 5_000_000}})


def a_return_with_an_opening(me: Attempt) -> None:
    me.run("users", "remove", ME, "--reason", "away")
    me.bring_in({"user": ME, "timezone": "UTC", "opening": {"points": 5_000_000}})


def ten_years_back(me: Attempt) -> None:
    me.bring_in({"user": "mallory2", "timezone": "UTC", "since": "2016-01-01"})
    me.run("ingest", "-", given=json_lines(
        {"user": "mallory2", "kind": kind, "at": f"{year}-{month:02}-10T12:00:00Z"}
        for year in range(2016, 2026) for month in range(1, 13) for kind in ("login", "comment", "share", "purchase")))


def a_large_credit(me: Attempt) -> None:
    me.hand_in(credit(points=5_000_000), credit(2, coins=5_000_000), credit(3, exp=5_000_000))


def credits_that_add_up(me: Attempt) -> None:
    me.hand_in(*(credit(number, points=9_999, exp=9_999) for number in range(200)))


def credits_one_by_one(me: Attempt) -> None:
    for number in range(9):
        me.hand_in(credit(number, points=9_999))


def credits_that_take_first(me: Attempt) -> None:
    me.hand_in(credit(1, points=-5_000_000))
    me.hand_in(*(credit(number, points=9_999) for number in range(2, 300)))


def credits_of_boosters(me: Attempt) -> None:
    me.hand_in(*(credit(number, boosterDays=30) for number in range(50)))


def credits_of_items(me: Attempt) -> None:
    items = [f"{kind}/{name}" for kind, name in (("emoji", "cheers"), ("fontStyle", "serif"))]
    me.hand_in(*(credit(number, items=items) for number in range(50)))


def one_credit_with_two_spellings(me: Attempt) -> None:
    me.hand_in(credit(1, points=9_999), {**credit(1, points=9_999), "id": "MINE-1"}, {**credit(1, points=9_999), "id": "mine-1 "},
               {**credit(1, points=9_999), "id": "mine-01"})


def a_credit_approved_by_who_asked(me: Attempt) -> None:
    me.hand_in(credit(points=5_000_000))
    for number in me.waiting():
        me.hand_in(credit(points=5_000_000), words=("--approve", number))
        me.hand_in(credit(points=5_000_000), words=("--approve", number, "--actor", "bob"))


def a_file_in_the_inbox(me: Attempt) -> None:
    me.drop("incoming", credit(points=5_000_000))
    me.approve_all()
    me.drop("incoming", credit(points=5_000_000))


def a_file_in_the_shops_inbox(me: Attempt) -> None:
    me.drop("shop/incoming", credit(points=4_000))


def a_file_beyond_the_shops_brake(me: Attempt) -> None:
    me.drop("shop/incoming", credit(exp=5_000_000))
    for number in me.waiting():
        for _ in range(2):
            me.hand_in(credit(exp=5_000_000), words=("--approve", number))


def a_shop_of_ones_own(me: Attempt) -> None:
    me.place.configure(sources={"mine": {"credits": ["points"], "perLine": {"points": 10 ** 9}}})
    me.drop("mine/incoming", credit(points=5_000_000))
    me.approve_all()
    me.drop("mine/incoming", credit(points=5_000_000))


def a_shop_that_may_do_more(me: Attempt) -> None:
    me.place.configure(sources={"shop": {"credits": ["points", "exp"], "perLine": {"points": 10 ** 9, "exp": 10 ** 9}}})
    me.drop("shop/incoming", credit(exp=5_000_000))
    me.approve_all()


def rules_for_one_day(me: Attempt) -> None:
    me.use_rules(missions={"share": {"points": 5_000_000}}, limits={"pointsPerUserDay": 10 ** 9})
    me.hand_in({"kind": "share", "at": "2026-11-12T08:30:00Z"})
    me.approve_all()
    me.place.configure(rules=[])


def rules_within_the_limit_of_a_day(me: Attempt) -> None:
    me.use_rules(missions={"share": {"coins": 5_000_000}})
    me.hand_in({"kind": "share", "at": "2026-11-12T08:30:00Z"})


def rules_that_give_levels(me: Attempt) -> None:
    me.use_rules(levels={"caps": [1] * 40, "rewards": {str(level): {"points": 5_000} for level in range(2, 40)}}, limits={"pointsPerUserDay": 10 ** 9})
    me.hand_in({"kind": "share", "at": "2026-11-12T08:30:00Z"})


def rules_whose_levels_a_gift_reaches(me: Attempt) -> None:
    me.use_rules(levels={"caps": [1_000] * 20, "rewards": {str(level): {"coins": 9_000} for level in range(2, 22)}})
    me.run("grant", ME, "--exp", "10000", "--reason", "cup")


def rules_that_correct_the_past(me: Attempt) -> None:
    me.use_rules(version="mine", effectiveFrom="2000-01-01", corrects="builtin-2", missions={"login": {"points": 5_000_000}},
                 limits={"pointsPerUserDay": 10 ** 9})
    me.run("backfill", "--from", "2026-11-01", "--to", "2026-11-11", "--plan", "plan.json")
    me.run("backfill", "--apply", "plan.json")


def a_plan_with_other_amounts(me: Attempt) -> None:
    me.hand_in({"kind": "share", "at": "2026-11-09T09:00:00Z"})
    me.run("backfill", "--from", "2026-11-01", "--to", "2026-11-11", "--plan", "plan.json")
    plan = me.place.folder / "plan.json"
    plan.write_text(plan.read_text().replace('"points":10,', '"points":5000000,').replace('"points": 10,', '"points": 5000000,'))
    me.run("backfill", "--apply", "plan.json")


def a_long_pardon(me: Attempt) -> None:
    me.run("excuse", "--from", "2026-11-12", "--to", "2026-12-07", "--user", ME, "--reason", "support")


def pardons_that_add_up(me: Attempt) -> None:
    for first in range(12, 27, 3):
        me.run("excuse", "--from", f"2026-11-{first}", "--to", f"2026-11-{first + 2}", "--user", ME, "--reason", f"support {first}")


def a_pardon_for_everybody(me: Attempt) -> None:
    me.run("excuse", "--from", "2026-11-12", "--to", "2026-12-20", "--everybody", "--reason", "outage")


def late_activities(me: Attempt) -> None:
    me.hand_in(*({"kind": kind, "at": f"2026-11-{day:02}T12:00:00Z"}
                 for day in range(1, 12) for kind in ("login", "comment", "share", "purchase")))
    me.run("backfill", "--from", "2026-11-01", "--to", "2026-11-11", "--plan", "plan.json")
    me.run("backfill", "--apply", "plan.json")


def a_zone_that_moves(me: Attempt) -> None:
    for day, zone in enumerate(("Pacific/Kiritimati", "Pacific/Pago_Pago") * 3):
        me.bring_in({"user": ME, "timezone": zone})
        me.hand_in(*({"kind": kind, "at": f"2026-11-12T{day:02}:30:00Z"} for kind in ("login", "comment", "share", "purchase")))


def an_act_given_back(me: Attempt) -> None:
    me.run("grant", ME, "--points", "9999", "--reason", "cup", "--id", "cup")
    for number in range(9):
        me.run("reverse", f"{ME}/manual/cup", "--reason", f"oops {number}")
        me.run("reverse", f"{ME}/manual/cup", "--undo", "--reason", f"oops {number}")


def a_release_of_nothing(me: Attempt) -> None:
    me.run("release", f"{ME}/2026-11-11/share", "--reason", "held")


def a_job_that_gives(me: Attempt) -> None:
    job = me.place.write("jobs/mine.json", json.dumps({"name": "mine", "schedule": "0 1 * * *", "timeZone": "UTC", "do": list(GIFT)}))
    me.run("run", str(job))


def a_job_that_approves(me: Attempt) -> None:
    me.run(*GIFT)
    for number in me.waiting():
        job = me.place.write("mine.json", json.dumps({"name": "mine", "schedule": "0 1 * * *", "timeZone": "UTC", "do": ["approve", number]}))
        me.run("run", str(job))


def a_declined_request_again(me: Attempt) -> None:
    me.run(*GIFT)
    for number in me.waiting():
        me.run("approve", number, "--decline", "never mind")
        me.run(*GIFT, "--approve", number)


TRICKS: list[Callable[[Attempt], None]] = [
    a_large_gift, a_gift_of_exp, a_gift_of_coins, a_gift_of_items, gifts_that_add_up, gifts_on_several_days, a_gift_approved_by_who_asked,
    a_gift_repeated_with_its_approval, two_names_of_one_account, a_name_and_none, the_name_of_an_account, a_variable,
    a_limit_in_the_configuration, names_for_accounts, months_that_count_for_nothing, an_own_signature, an_opening_balance,
    an_opening_beside_a_larger_one, an_opening_of_items, an_opening_for_somebody_who_is_there, a_return_with_an_opening, ten_years_back,
    a_large_credit, credits_that_add_up, credits_one_by_one, credits_that_take_first, credits_of_boosters, credits_of_items,
    one_credit_with_two_spellings, a_credit_approved_by_who_asked, a_file_in_the_inbox, a_file_in_the_shops_inbox,
    a_file_beyond_the_shops_brake, a_shop_of_ones_own, a_shop_that_may_do_more, rules_for_one_day, rules_within_the_limit_of_a_day,
    rules_that_give_levels, rules_whose_levels_a_gift_reaches, rules_that_correct_the_past, a_plan_with_other_amounts, a_long_pardon, pardons_that_add_up,
    a_pardon_for_everybody, late_activities, a_zone_that_moves, an_act_given_back, a_release_of_nothing, a_job_that_gives,
    a_job_that_approves, a_declined_request_again]


def live(place: Installation) -> None:
    """Ten honest days of three users."""
    place.write("users.jsonl", json_lines({"user": user, "timezone": "UTC", "since": "2026-10-31"} for user in (ME, "ann", "ben")))
    place.run("users", "import", "users.jsonl", "--now", "2026-11-01T08:00:00Z")
    for day in range(1, 12):
        place.run("ingest", "-", "--now", f"2026-11-{day:02}T20:00:00Z", given=json_lines(
            {"user": user, "kind": kind, "at": f"2026-11-{day:02}T12:00:00Z"} for user in (ME, "ann", "ben") for kind in ("login", "comment")))
        place.run("reconcile", "--confirm", "--now", f"2026-11-{day + 1:02}T00:40:00Z", codes=(0, 1))


def play(program: Path, honest: Installation, trick: Callable[[Attempt], None], folder: Path) -> str:
    """Plays a trick in a copy; returns what came of it, or raises `Failed`."""
    shutil.copytree(honest.folder, folder)
    me = Attempt(Installation(program, folder, dict(honest.settings)))
    trick(me)
    waiting = len(me.waiting())
    me.place.run("reconcile", "--confirm", "--now", END, codes=None)
    had = 0
    for user in (ME, "mallory2"):
        answer = me.place.run("balance", user, "--format", "json", "--now", END, codes=None)
        if answer.code != 0:
            continue
        balance = answer.document
        had += balance["points"]
        for unit, most in MOST.items():
            if balance[unit] > most:
                raise Failed(f"{user} has {balance[unit]} {unit}")
        if len(balance["items"]) > MOST_ITEMS:
            raise Failed(f"{user} has {len(balance['items'])} items")
    report = me.place.run("audit", "--format", "json", "--now", END, codes=None)
    if report.code not in (0, 1):
        raise Failed(f"the audit ends with {report.code}: {report.said}")
    accused = accusations(report.document, (GRANTS, CLOSES, ACTS, HANDS, DERIVED))
    if accused:
        raise Failed(f"the audit accuses: {'; '.join(accused[:3])}")
    return f"{had} points, {waiting} wait{'s' if waiting == 1 else ''}"


def main() -> int:
    """Prints a row for each trick; ends with 1 when one gave more than one person may give."""
    parser = arguments(__doc__)
    parser.add_argument("--only", choices=[trick.__name__ for trick in TRICKS])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="commands-") as temporary:
        honest = Installation(chosen.program, Path(temporary) / "honest", {
            "users": "./users.jsonl",
            "sources": {"shop": {"credits": ["points", "exp"], "perLine": {"points": 5_000, "exp": 5_000}, "perUserAndDay": 2}}})
        live(honest)
        failed = play_each(
            TRICKS, chosen.only, lambda number, trick: play(chosen.program, honest, trick, Path(temporary) / str(number)), "FAILED")
    print(f"{len(TRICKS)} tricks: " + (f"{failed} failed" if failed else "none gave more than one person may give"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
