"""Compares what the program recorded with what the law gives."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from Lives.amounts import boosters, net_amounts, net_of, owner, settled, standing
from Lives.brakes import check_brakes
from Lives.facts import ALWAYS, API_KINDS, KINDS, Closed, Facts
from Lives.installation import LoggedInstallation
from Lives.oracle import Account, Settled
from Lives.rules import DayFacts, RuleBook
from Shared.civil import show
from Shared.installation import SECRET
from Shared.program import Failed

SHOWN = 5


class Inspector:
    """Knows the facts, and holds an installation's ledger against them."""

    def __init__(self, installation: LoggedInstallation, facts: Facts, spoil: bool):
        self.installation, self.facts, self.spoil = installation, facts, spoil
        self.number, self.now = 0, 0
        # Users whose running day need not have followed yet; between two zones of which one was closed; and those of
        # whom it cannot be told what counts for closed days until a plan judges all of them again.
        self.stale: set[str] = set()
        self.uncertain: set[str] = set()
        self.hazy: set[str] = set()
        self.looks_lost_at: int | None = None
        self.compared = 0

    def present(self, number: int, now: int) -> None:
        """Goes on to a step."""
        self.number, self.now = number, now

    def note_fact(self, name: str) -> None:
        """A fact about a user arrives; where it is uncertain what is closed, so is for what it counts."""
        if name in self.uncertain:
            self.hazy.add(name)

    def records(self, with_seals: bool = False) -> list[dict]:
        """The ledger's sealed records."""
        return [record for record in standing(self.installation.place.lines()) if with_seals or record["type"] != "seal"]

    def account(self, name: str, records: list[dict], known: Callable[[Closed], int] = lambda closed: closed.known) -> Account:
        """What a user has by the law, and by the facts that count for each closed day: those up to the command of the number `known`."""
        user = self.facts.users[name]
        closed = user.closed
        user.closed = {day: replace(one, known=known(one)) for day, one in closed.items()}
        try:
            return Account(self.facts, user, SECRET, settled(records).get(name, Settled()), self.now)
        finally:
            user.closed = closed

    def boosters(self, name: str, records: list[dict]) -> tuple[int, int]:
        """How long the boosters of a user's closed days run in all, in seconds, and when the last of them ends."""
        user = self.facts.users[name]
        windows = [window for window in user.windows(self.now) if window.day in user.closed]
        account = Account(self.facts, user, SECRET, settled(records).get(name, Settled()), windows[-1].end - 1)
        return (sum(end - start for start, end in account.boosters),
                max((end for _, end in account.boosters), default=0))

    def waits(self, name: str) -> bool:
        """Whether a close or a backfill is due: something was told of closed days that does not count for them yet."""
        if name in self.uncertain or self.is_ahead(name):
            return True
        user, rules = self.facts.users[name], RuleBook(self.facts.documents)
        all_windows = user.windows(self.now)
        windows = {window.day: window for window in all_windows}
        # What comes while a user is away counts to the day of leaving.
        nexts = {window.day: following.start for window, following in zip(all_windows, all_windows[1:])}
        first = all_windows[0] if all_windows else None
        for day, closed in user.closed.items():
            window = windows[day]
            if (rules.of(day, closed.known) != rules.of(day, ALWAYS)
                    or any(e.number > closed.known and e.covers(name, day) for e in self.facts.excuses)
                    or any(o.number > closed.known and o.hid(closed, KINDS) for o in self.facts.outages)
                    or any(c.number > closed.known and (window is first or window.start <= c.at) and c.at < nexts.get(day, window.end)
                           for c in user.credits.values() if c.key or c.concerns_days)
                    or any(number > closed.known and window.is_touched(start, end)
                           for (_, start, end), number in user.evidence.items())):
                return True
        return False

    def is_ahead(self, name: str) -> bool:
        """Whether a day that is over waits for its close: what later days bring until then depends on what is proven."""
        user = self.facts.users[name]
        return any(window.is_over and window.day not in user.closed for window in user.windows(self.now))

    def check_changes(self, number: int, names: set[str], judges_all: bool = False) -> None:
        """Compares users who have just been judged; the balance of one of them too."""
        if judges_all:
            self.stale -= names
        names = {n for n in names if n in self.facts.users and not self.is_ahead(n)}
        names -= self.stale | self.hazy | self.uncertain
        if not names:
            return
        records = self.records()
        for place, name in enumerate(sorted(names)):
            self.compare(name, records, with_balance=place == number % len(names))

    def compare_all(self) -> None:
        """Compares every user in everything."""
        answer = self.installation.run(self.now, "ledger", "export")
        records = [json.loads(line) for line in answer.out.splitlines()]
        check_brakes(records)
        self.check_unknown(records)
        for name in sorted(set(self.facts.users) - self.hazy - self.uncertain):
            self.compare(name, records, with_balance=True)

    def check_unknown(self, records: list[dict]) -> None:
        """Each close recorded what it could not tell of a user's missions."""
        there: dict[tuple[str, str], set[str]] = {}
        for record in records:
            if record["type"] == "unknown":
                there.setdefault((record["user"], record["day"]), set()).add(record["mission"])
        for user in self.facts.users.values():
            for day, closed in user.closed.items():
                told = there.get((user.name, day.isoformat()), set())
                if closed.unknown is not None and told != closed.unknown:
                    raise Failed("unknown", f"{user.name} on {day}: unknown is recorded of {sorted(told)}, "
                                            f"not of {sorted(closed.unknown)}")

    def compare(self, name: str, records: list[dict], with_balance: bool) -> None:
        """Compares a user's keys, boosters and balance with the law.

        Where a plan had nothing to append for the user, it may or may not have brought its facts in.
        """
        balance = self.balance(name) if with_balance else None
        found = self.differences(self.account(name, records), name, records, balance)
        if found and any(closed.before is not None for closed in self.facts.users[name].closed.values()):
            found = found and self.differences(self.account(name, records, before), name, records, balance)
        if found:
            check, text = found[0]
            raise Failed(check, f"at {show(self.now)}: " + "; ".join(text for _, text in found[:SHOWN]))
        self.compared += 1

    def differences(self, account: Account, name: str, records: list[dict],
                    balance: dict | None) -> list[tuple[str, str]]:
        """Each difference with the check that finds it."""
        there = {key: net for key, net in net_amounts(records).items() if owner(key) == name and "/waived/" not in key}
        wanted = {key: net_of(amount) for key, amount in account.grants.items()}
        if self.spoil and wanted:
            wanted[min(wanted)] = wanted[min(wanted)] + net_of(account.grants[min(wanted)])
        wanted = {key: net for key, net in wanted.items() if net}
        found = [("keys", f"{key} stands at {dict(there.get(key, {}))}, not {dict(wanted.get(key, {}))}")
                 for key in sorted(there.keys() | wanted.keys()) if there.get(key) != wanted.get(key)]
        windows = boosters(records)
        found += [("booster", f"{key} gives the booster {windows[key]}, not {amount.booster}")
                  for key, amount in account.grants.items()
                  if key in windows and "/manual/" not in key and windows[key] != amount.booster]
        if balance is not None:
            found += self.balance_differences(account, balance)
        return found

    def balance(self, name: str) -> dict:
        """A user's balance as the program tells it."""
        answer = self.installation.run(self.now, "balance", name, "--format", "json").document
        answer["items"] = sorted(answer["items"])
        return answer

    def balance_differences(self, account: Account, there: dict) -> list[tuple[str, str]]:
        """How a balance differs. Two things are left open: whether the longest streak stays after a correction of the
        rules has shortened it, and when the days before an opening balance ended."""
        wanted = account.balance()
        name = wanted["user"]
        flat, given = flatten(wanted), flatten(there)
        if any("corrects" in document for _, document in self.facts.documents):
            flat["longest"] = max(flat["longest"], given["longest"])
        if flat["lastDay"] is None and self.facts.users[name].opening.get("streak"):
            flat["lastDay"] = given["lastDay"]
        return [(f"balance {unit}", f"{name} has {unit} {given.get(unit)}, not {value}")
                for unit, value in flat.items() if given.get(unit) != value]

    def audit(self) -> None:
        """The program's own audit passes; user-days that wait are no failure."""
        answer = self.installation.run(self.now, "audit", "--format", "json", codes=(0, 1)).document
        broken = [check for check in answer["checks"] if not check["passed"]]
        if broken or not answer["passed"]:
            told = "; ".join(f"check {check['id']}: {check['findings'][:2]}" for check in broken)
            raise Failed(f"audit {','.join(str(check['id']) for check in broken)}", told)

    def explain(self, name: str, day: date) -> None:
        """The verdicts and the standing of a closed day."""
        if name in self.hazy or self.waits(name):
            return
        answer = self.installation.run(self.now, "explain", name, day.isoformat(), "--format", "json", codes=(0, 1)).document
        given = {"start": answer["start"], "end": answer["end"], "streak": answer["streak"]["class"]}
        given |= {mission: told["verdict"] for mission, told in answer["missions"].items()}
        closed = self.facts.users[name].closed[day]
        found = self.misjudged(name, day, given)
        if found and closed.before is not None:
            known, closed.known = closed.known, closed.before
            found = self.misjudged(name, day, given)
            closed.known = known
        if found:
            raise Failed("explain", f"{name} on {day}: " + "; ".join(found))

    def misjudged(self, name: str, day: date, given: dict[str, str]) -> list[str]:
        """How the answer about a day differs from what the law says of it."""
        user = self.facts.users[name]
        window = next(window for window in user.windows(self.now) if window.day == day)
        facts = DayFacts(self.facts, RuleBook(self.facts.documents), user, window)
        wanted = {"start": show(window.start), "end": show(window.end), "streak": facts.standing}
        wanted |= {mission: facts.verdict(mission) for mission in facts.rules["missions"]
                   if self.facts.has_api or mission not in API_KINDS}
        return [f"{what} is {given[what]}, not {value}" for what, value in wanted.items() if given[what] != value]


def before(closed: Closed) -> int:
    """What counts for a day if the last plan did not touch its user."""
    return closed.known if closed.before is None else closed.before


def flatten(balance: dict) -> dict:
    """A balance with the parts of the streak beside the rest."""
    return {name: value for name, value in {**balance, **balance["streak"]}.items() if name not in ("streak", "user")}
