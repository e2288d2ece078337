#!/usr/bin/env python3
"""Three honest weeks: nobody is accused, and two people need each other at most twice a week.

    honest.py PROGRAM [--users N] [--seed S]

An app moves to the product with all its users and their balances, runs a campaign with other prices, sells exp cards in its shop, and
its support gives small presents. The audit of each week finds nothing.
"""

import json
import random
import sys
import tempfile
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Insider.cases import accusations
from Shared.installation import Installation
from Shared.program import Failed, arguments, json_lines

WEEKS = 3
MOST_APPROVALS_A_WEEK = 2
ALICE, BOB = ("--actor", "alice"), ("--actor", "bob")


def noon(day: int) -> str:
    """The middle of a day of November."""
    return f"2026-11-{day:02}T12:00:00Z"


class Weeks:
    """An installation whose operators share an account, and tell each other apart by name."""

    def __init__(self, program: Path, folder: Path, users: int, seed: int):
        self.draw = random.Random(seed)
        self.users = [f"u{number}" for number in range(users)]
        self.approvals = 0
        self.place = Installation(program, folder, {
            "users": "./users.jsonl", "relay": {}, "approval": {"by": "actor"},
            "sources": {"shop": {"kinds": ["purchase"], "credits": ["points", "coins", "exp", "items", "boosterDays"]}}})

    def run(self, day: int, *words: str, given: str = "", codes: tuple[int, ...] = (0,)) -> str:
        """Runs a command at noon; returns what it printed."""
        answer = self.place.run(*words, "--now", noon(day), given=given, codes=codes)
        return answer.out + answer.err

    def together(self, day: int, *words: str) -> None:
        """Has alice ask for what takes two, and bob approve it."""
        told = self.run(day, *words, *ALICE, codes=(77,))
        number = told.split("--approve ")[1].split()[0].rstrip(";")
        self.run(day, *words, *BOB, "--approve", number)
        self.approvals += 1

    def move_in(self) -> None:
        """Everybody comes with a balance; together they are more than one person may bring in."""
        self.place.write("users.jsonl", json_lines(
            {"user": user, "timezone": self.draw.choice(["UTC", "Asia/Tokyo", "America/New_York"]),
             "opening": {"points": self.draw.randrange(900), "coins": self.draw.randrange(30)}} for user in self.users))
        self.together(1, "users", "import", "users.jsonl")

    def live(self, day: int) -> None:
        """A day of logins, sales of the shop, presents of the support, and the nightly work."""
        busy = self.draw.sample(self.users, min(300, len(self.users)))
        lines = [{"user": user, "kind": kind, "at": f"2026-11-{day:02}T08:00:00Z"} for user in busy for kind in ("login", "comment")]
        self.run(day, "ingest", "-", *ALICE, given=json_lines(lines), codes=(0, 1))
        sales = [{"user": user, "kind": "credit", "at": f"2026-11-{day:02}T09:00:00Z", "id": f"sale-{day}-{user}", "exp": 500, "points": -1}
                 for user in busy[:20]]
        (self.place.data / "inbox" / "shop" / "incoming" / f"sales-{day}.jsonl").write_text(json_lines(sales))
        for user in busy[:3]:
            self.run(day, "grant", user, "--points", "200", "--reason", f"sorry for the outage of day {day}", *self.draw.choice([ALICE, BOB]))
        self.run(day, "reconcile", "--confirm", codes=(0, 1))

    def campaign(self) -> None:
        """Comments are worth twice as much for ten days."""
        for name, start, points in (("campaign", 8, 10), ("after", 18, 5)):
            self.place.write(f"{name}.json", json.dumps({
                "version": f"2026-11-{name}", "effectiveFrom": f"2026-11-{start:02}", "missions": {"comment": {"points": points}}}))
        self.place.configure(rules=["./campaign.json", "./after.json"])

    def audit(self, day: int) -> None:
        """Fails if somebody is accused, or something waits."""
        report = self.place.run("audit", "--now", noon(day), "--format", "json", codes=None).document
        if findings := accusations(report):
            raise Failed("the audit accuses honest people: " + "; ".join(findings[:5]))
        if self.place.run("approvals", "--now", noon(day), codes=None).code != 0:
            raise Failed("a request waits")


def main() -> int:
    """Prints a row for each week; ends with 1 when somebody was accused or was needed too often."""
    parser = arguments(__doc__)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="honest-") as temporary:
        weeks = Weeks(chosen.program, Path(temporary), chosen.users, chosen.seed)
        weeks.move_in()
        for week in range(WEEKS):
            before = weeks.approvals if week else 0
            days = range(7 * week + 2, 7 * week + 9)
            for day in days:
                weeks.live(day)
                if day == 6:
                    weeks.campaign()
                if day == 12:
                    weeks.together(day, "grant", "u1", "--points", "30000", "--reason", "winner of the cup")
            weeks.audit(days[-1])
            count = weeks.approvals - before
            print(f"week {week + 1}: nobody accused, {count} approvals", flush=True)
            if count > MOST_APPROVALS_A_WEEK:
                raise Failed(f"{count} approvals in a week")
    return 0


if __name__ == "__main__":
    sys.exit(main())
