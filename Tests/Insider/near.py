#!/usr/bin/env python3
"""Honest people who work near the limits, at random: whatever they do alone or agree on, the audit accuses nobody.

    near.py PROGRAM [--lives N] [--jobs N] [--seed S]

Each life has limits of its own and some days in which three operators give, hand in, bring in, pardon, repair, reverse, and change rules
and limits, mostly just below or just above what one person may do. What waits is mostly approved by somebody else.
"""

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from datetime import date, timedelta
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Insider.cases import accusations
from Shared.installation import Installation
from Shared.program import Failed, arguments, json_lines

PEOPLE = ("alice", "bob", "carol")
ZONES = ("UTC", "Asia/Tokyo", "America/New_York", "Pacific/Kiritimati")
FIRST = date(2026, 10, 27)
DAYS = 9
USAGE, REFUSED, WAITS = 64, 65, 77
HOW = {REFUSED: " refused", WAITS: " of two"}
ITEMS = ("fontColor/green", "fontColor/red", "fontColor/purple", "backgroundColor/lavender")


class Life:
    """One installation and its operators."""

    def __init__(self, program: Path, folder: Path, seed: int):
        self.pick = random.Random(seed)
        self.done: Counter[str] = Counter()
        self.limits = self.some_limits()
        self.users: set[str] = set()
        # The first days of the rules that were written.
        self.starts: set[date] = set()
        self.day, self.hour, self.number = 0, 0, 0
        self.place = Installation(program, folder, {
            "relay": {}, "approval": self.limits | {"by": "actor"},
            "sources": {"shop": {"kinds": ["purchase"], "credits": ["points", "coins", "exp", "items", "boosterDays"],
                                 "perLine": {"points": 300, "exp": 300, "coins": 300}, "perUserAndDay": 2}}})

    def some_limits(self) -> dict[str, int]:
        """Limits of one person, small enough to be met."""
        act = self.pick.choice((40, 200, 1_000))
        month = act * self.pick.choice((1, 2, 6))
        return {"pointsByHand": act, "expByHand": act, "coinsByHand": act, "itemsByHand": 1, "expPerCredit": act // 2, "boosterDaysPerCredit": 2,
                "pardonDaysByHand": 2, "perUserAndMonth": month, "perActorAndMonth": month * self.pick.choice((1, 3))}

    def near(self, limit: int) -> int:
        """An amount about a limit."""
        return max(1, self.pick.choice((limit - 1, limit, limit + 1, limit // 2, limit * 3)))

    @property
    def date(self) -> date:
        """Today."""
        return FIRST + timedelta(days=self.day)

    @property
    def now(self) -> str:
        """The present."""
        return f"{self.date}T{self.hour:02}:00:00Z"

    def new(self) -> str:
        """A number that was not used before."""
        self.number += 1
        return str(self.number)

    def run(self, *words: str, given: str = "") -> int:
        """Runs a command as somebody; somebody else mostly approves what asks for two. Returns how it ended."""
        asker, other = self.pick.sample(PEOPLE, 2)
        answer = self.place.run(*words, "--now", self.now, "--actor", asker, given=given, codes=(0, 1, REFUSED, WAITS))
        self.done[f"{words[0]}{HOW.get(answer.code, '')}"] += 1
        if answer.code == WAITS and self.pick.random() < 0.8:
            identifier = answer.err.split("--approve ")[1].split()[0].rstrip(";")
            answer = self.place.run(*words, "--now", self.now, "--actor", other, "--approve", identifier, given=given, codes=(0, 1, REFUSED))
        return answer.code

    def settle(self) -> None:
        """Has somebody else approve, or decline, what waits from files and the configuration."""
        waiting = self.place.run("approvals", "--format", "json", "--now", self.now, codes=None).document["requests"]
        for request in waiting:
            words = ["approve", request["id"], "--actor", self.pick.choice(PEOPLE), "--now", self.now]
            way = self.pick.choice(("approve", "approve", "approve", "decline", ""))
            if way == "approve":
                # Whoever asked may not, and what the configuration does not say any more cannot be.
                answer = self.place.run(*words, codes=(0, USAGE, REFUSED, WAITS))
                self.done["approve" if answer.code == 0 else "approve in vain"] += 1
            elif way == "decline":
                # While rules are too late, nothing is done at all.
                answer = self.place.run(*words, "--decline", "no", codes=(0, REFUSED))
                self.done["decline" if answer.code == 0 else "decline in vain"] += 1

    def reconcile(self) -> None:
        """Does the nightly work; rules whose day came while they waited are taken out of the configuration."""
        if self.place.run("reconcile", "--confirm", "--now", self.now, codes=(0, 1, REFUSED)).code == REFUSED:
            self.place.configure(rules=[])
            self.done["rules too late"] += 1

    def audit(self) -> None:
        """Fails if somebody is accused."""
        report = self.place.run("audit", "--now", self.now, "--format", "json", codes=None).document
        if findings := accusations(report):
            raise Failed("the audit accuses honest people", "; ".join(findings[:5]))

    # What the operators do.

    def gift(self) -> None:
        unit = self.pick.choice(("points", "exp", "coins"))
        what = [f"--{unit}", str(self.near(self.limits[f"{unit}ByHand"]))]
        if self.pick.random() < 0.2:
            what = [word for item in self.pick.sample(ITEMS, self.pick.choice((1, 2))) for word in ("--item", item)]
        self.run("grant", self.somebody(), *what, "--reason", "cup", "--id", f"cup-{self.new()}")

    def credits(self) -> None:
        unit = self.pick.choice(("points", "exp", "coins", "boosterDays"))
        limit = {"exp": self.limits["expPerCredit"], "boosterDays": 2}.get(unit, self.limits["pointsByHand"])
        self.hand_in({"kind": "credit", "id": f"credit-{self.new()}", unit: self.near(limit)} for _ in range(self.pick.choice((1, 1, 3))))

    def activities(self) -> None:
        self.hand_in({"kind": kind} for kind in self.pick.sample(("login", "comment", "share", "follow", "purchase"), 2))

    def late(self) -> None:
        self.hand_in(({"kind": self.pick.choice(("login", "comment"))} for _ in range(2)), back=self.pick.randrange(1, 4))
        days = ["--from", str(self.date - timedelta(days=5)), "--to", str(self.date - timedelta(days=1))]
        plan = f"plan-{self.new()}.json"
        self.place.run("backfill", *days, "--plan", plan, "--now", self.now, codes=(0, 1))
        if (self.place.folder / plan).exists():
            self.run("backfill", "--apply", plan)

    def newcomer(self) -> None:
        name = f"u{self.new()}"
        line: dict[str, object] = {"user": name, "timezone": self.pick.choice(ZONES)}
        if self.pick.random() < 0.6:
            line["opening"] = {"points": self.near(self.limits["pointsByHand"]), "coins": self.near(self.limits["coinsByHand"])}
        if self.pick.random() < 0.4:
            line["since"] = str(self.date - timedelta(days=self.pick.randrange(1, 6)))
        self.place.write("new.jsonl", json_lines([line]))
        if self.run("users", "import", "new.jsonl") == 0:
            self.users.add(name)

    def move(self) -> None:
        self.place.write("new.jsonl", json_lines([{"user": self.somebody(), "timezone": self.pick.choice(ZONES)}]))
        self.run("users", "import", "new.jsonl")

    def pardon(self) -> None:
        first = self.date - timedelta(days=self.pick.randrange(4))
        last = first + timedelta(days=self.pick.choice((0, 1, 2, 5)))
        self.run("excuse", "--from", str(first), "--to", str(last), *self.pick.choice(((), ("--user", self.somebody()))), "--reason", "outage")

    def reversal(self) -> None:
        grants = [line for line in map(json.loads, self.place.run("ledger", "export", codes=None).out.splitlines())
                  if line.get("type") == "grant" and "#" not in line["key"]]
        if grants:
            self.run("reverse", self.pick.choice(grants)["key"], "--reason", "spam")

    def sale(self) -> None:
        unit = self.pick.choice(("points", "exp", "coins"))
        lines = [{"user": self.somebody(), "kind": "credit", "at": self.now, "id": f"sale-{self.new()}", unit: self.near(300)}
                 for _ in range(self.pick.choice((1, 4)))]
        path = self.place.data / "inbox" / "shop" / "incoming" / f"{self.new()}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json_lines(lines))
        self.reconcile()

    def rules(self) -> None:
        start = self.date + timedelta(days=self.pick.choice((1, 1, 2)))
        if start in self.starts:
            return
        self.starts.add(start)
        name = f"rules-{self.new()}"
        self.place.write(f"{name}.json", json.dumps({
            "version": name, "effectiveFrom": str(start), "missions": {"comment": {"points": self.pick.choice((4, 6, 50, 5_000))}}}))
        self.place.configure(rules=[*self.place.settings.get("rules", []), f"./{name}.json"])

    def other_limits(self) -> None:
        self.limits = self.some_limits()
        self.place.configure(approval=self.limits | {"by": "actor"})

    def removal(self) -> None:
        if len(self.users) > 3:
            name = self.somebody()
            if self.run("users", "remove", name, "--reason", "left") == 0:
                self.users.remove(name)

    def somebody(self) -> str:
        """A user."""
        return self.pick.choice(sorted(self.users))

    def hand_in(self, lines: Iterable[dict], back: int = 0) -> None:
        """Hands lines about users in, as of now or some days back."""
        at = f"{self.date - timedelta(days=back)}T{self.pick.randrange(self.hour + 1) if not back else 9:02}:00:00Z"
        self.run("ingest", "-", given=json_lines([{"user": self.somebody(), "at": at, **line} for line in lines]))

    def live(self) -> Counter:
        """Lives all days; returns how often what was done."""
        acts = [self.gift, self.gift, self.credits, self.credits, self.activities, self.activities, self.activities, self.late, self.newcomer,
                self.move, self.pardon, self.reversal, self.sale, self.rules, self.other_limits, self.removal]
        while len(self.users) < 3:
            self.newcomer()
        for self.day in range(DAYS):
            for self.hour in sorted(self.pick.sample(range(1, 24), 4)):
                self.pick.choice(acts)()
                self.settle()
                if self.pick.random() < 0.3:
                    self.reconcile()
                if self.pick.random() < 0.25:
                    self.audit()
        self.audit()
        return self.done


def live(program: Path, seed: int) -> tuple[Counter, str]:
    """Lives a life; returns what was done, and why it failed."""
    with tempfile.TemporaryDirectory(prefix="near-") as folder:
        life = Life(program, Path(folder), seed)
        try:
            return life.live(), ""
        except Failed as error:
            return life.done, f"life {seed}, {life.now}: {error}"


def main() -> int:
    """Lives the lives; ends with 1 when somebody was accused, or something else went wrong."""
    parser = arguments(__doc__)
    parser.add_argument("--lives", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    done: Counter[str] = Counter()
    failures = 0
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for counted, failure in pool.map(live, [chosen.program] * chosen.lives, range(chosen.seed, chosen.seed + chosen.lives)):
            done += counted
            if failure:
                failures += 1
                print(failure, flush=True)
    print(f"{chosen.lives} lives from seed {chosen.seed}: " + ", ".join(f"{count} {what}" for what, count in sorted(done.items())))
    print(f"{failures} lives failed" if failures else "nobody accused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
