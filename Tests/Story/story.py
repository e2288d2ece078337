#!/usr/bin/env python3
"""The operators' story, told with the real program and held against an independent oracle.

A night with an API outage from 22:00 to 02:00 in three zones, late inbox files the next morning, a rule mistake found a
week later; each repaired with the program's own commands. In the end every audit passes and every user has what the law
says. Prints the story; ends with 1, and says why, when it does not hold.
"""

import argparse
import bisect
import json
import os
import shutil
import sys
import tempfile
import time
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "Shared"))

import documents
from api import SimulatedAPI
from checks import Inspector
from installation import SECRET, Installation, Failed
from ledger import Ledger, show
from sight import Reading, Sight
from world import FIRST_DAY, INBOX_KINDS, OUTAGE_DAY, UTC, ZONES, Activity, Credit, World, instant

IMPORT = datetime(2026, 10, 20, 12, tzinfo=UTC)
BEGIN = datetime(2026, 10, 20, 15, tzinfo=UTC)
LAST_FILE = datetime(2026, 10, 24, 12, 30, tzinfo=UTC)
MORNING = datetime(2026, 10, 25, 12, tzinfo=UTC)
WEEK_LATER = datetime(2026, 11, 1, 12, tzinfo=UTC)
END = datetime(2026, 11, 2, 12, tzinfo=UTC)
# The days that the mistaken document judged and that are closed when the mistake is found.
MISTAKEN_DAYS = ("--from", "2026-10-22", "--to", "2026-10-31")
# What still runs follows the rules at once; a waiver protects what closed days have brought.
RUNNING_DAY = "2026-11-01"
REFUSED = (1, 65, 75, 77)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


class Story:
    """The chapters, in order; each begins where the one before has ended."""

    def __init__(self, options: argparse.Namespace, folder: Path):
        self.options, self.folder = options, folder
        self.world = World(options.seed, documents.FIRST["catalogue"])
        self.random = self.world.random
        self.sight = Sight(IMPORT)
        self.api = SimulatedAPI(self.world, IMPORT, self.sight.take)
        self.api.outages = [(instant(OUTAGE_DAY, 22, zone), instant(OUTAGE_DAY, 26, zone)) for zone in map(ZoneInfo, ZONES)]
        self.inspector = Inspector(self.world, self.sight, SECRET, options.spoil)
        # What no route tells, in order; how much of it some file has brought.
        inbox = [a for a in self.world.activities() if a.kind in INBOX_KINDS and a.start > IMPORT]
        self.inbox = sorted([*inbox, *self.world.credits()], key=moment)
        self.brought = 0
        self.files = 0
        self.installation = Installation(options.program, folder / "installation", {
            "users": "./users.jsonl", "rules": ["./rules-2026-09.json", "./rules-2026-10.json"],
            "api": {"baseURL": self.api.url, "token": {"env": "CHEER_API_TOKEN"},
                    "requestsPerSecond": 5000, "concurrency": 8},
            "inbox": {"requireWatermark": True},
        })
        self.installations = [self.installation]

    def tell(self) -> None:
        """Tells everything."""
        self.begin()
        self.live(BEGIN, LAST_FILE)
        self.check("before the outage", LAST_FILE)
        self.outage()
        self.morning()
        self.repair_the_night()
        self.live(MORNING + 30 * MINUTE, WEEK_LATER)
        self.find_the_mistake()
        kind = self.installation.copy(self.folder / "kind")
        self.installations.append(kind)
        self.repair_the_rules(kind, claws_back=False)
        self.repair_the_rules(self.installation, claws_back=True)
        self.live(WEEK_LATER + 30 * MINUTE, END)
        self.close_the_book(kind)

    # The chapters.

    def begin(self) -> None:
        """The roster, the rules, the first look."""
        chapter("The users come in", "Fifty-four users in Tokyo, Berlin and São Paulo, some with a balance from before.")
        mistakes = self.options.mistake or ["points", "exp", self.random.choice(("cap-low", "cap-high"))]
        for name, document in (("rules-2026-09", documents.FIRST), ("rules-2026-10", documents.mistaken(mistakes))):
            self.installation.write(f"{name}.json", json.dumps(document, indent=2))
            self.installation.tell(IMPORT, "rules", "check", f"{name}.json")
        self.installation.write("users.jsonl", lines(person.roster_line() for person in self.world.people.values()))
        self.installation.tell(IMPORT, "users", "import", "users.jsonl")
        self.installation.tell(IMPORT, "users", "import", "users.jsonl")

    def outage(self) -> None:
        """Nobody is seen from 22:00 to 02:00, and the inbox is silent until the morning."""
        chapter("The night of the outage",
                f"The API answers 503 from 22:00 to 02:00 of {OUTAGE_DAY}, in each zone's own night;",
                "the files of the app's other services do not come either. The days are closed as ever.")
        self.live(LAST_FILE, MORNING, brings_files=False)

    def morning(self) -> None:
        """The late files."""
        chapter("The next morning", "The files of the night come late, the last one first.")
        missing = self.undelivered(MORNING)
        self.random.shuffle(missing)
        third = len(missing) // 3
        parts = [missing[:third], missing[third:2 * third], missing[2 * third:]]
        for number, part in enumerate(parts):
            is_last = number == len(parts) - 1
            spoilt = ['{"user":"user-00","kind":"login","at":"2026-10-24 25:61:00"}'] if number == 0 else []
            self.deliver(MORNING + (number + 1) * MINUTE, part, MORNING if is_last else None, spoilt)
        self.look(MORNING + 5 * MINUTE)

    def repair_the_night(self) -> None:
        """Who was hidden, the excuse, the plan, a look at it, and the repair."""
        chapter("Repairing the night",
                "Whom did the outage hide? Nobody's streak shall break by it, and what came late shall count.")
        now, day, installation = MORNING + 10 * MINUTE, OUTAGE_DAY.isoformat(), self.installation
        installation.tell(now, "excuse", "--propose", codes=(1,))
        hidden = installation.run(now, "excuse", "--propose", "--format", "json", codes=(1,)).document["hidden"]
        if day not in [entry["day"] for entry in hidden]:
            raise Failed(f"nobody is named as hidden on {day}: {hidden}")
        installation.tell(now, "excuse", "--from", day, "--to", day, "--reason", "API down from 22:00 to 02:00 in three zones")
        if self.options.spoil != "backfill":
            self.backfill(installation, now, ("--from", day, "--to", day), "night.json")
        late = next(p.user for p in self.world.people.values() if p.night == "late stream")
        hidden_user = next(p.user for p in self.world.people.values() if p.night == "hidden stream")
        installation.tell(now + 8 * MINUTE, "explain", late, day, "stream", lines=40)
        installation.tell(now + 8 * MINUTE, "explain", hidden_user, day, "stream", codes=(0, 1), lines=40)
        self.check("after the repair", now + 9 * MINUTE)

    def find_the_mistake(self) -> None:
        """The rules give what nobody meant; a corrected document is loaded."""
        chapter("A week later",
                "The shop wonders: 51 points for watching? The digits are exchanged; and a level's cap looks wrong too.",
                "The ledger is true to the rules that were loaded, so the audit has nothing to find.")
        now, installation = WEEK_LATER, self.installation
        self.look(now)
        self.check("under the mistaken rules", now)
        installation.write("rules-2026-10-corrected.json", json.dumps(documents.corrected(), indent=2))
        installation.tell(now, "rules", "check", "rules-2026-10-corrected.json")
        installation.configure(rules=[*installation.settings["rules"], "./rules-2026-10-corrected.json"])
        installation.tell(now + MINUTE, "rules", "show")
        hasty = installation.tell(now + MINUTE, "backfill", *MISTAKEN_DAYS, "--plan", "first-look.json", codes=(0, 1), lines=6)
        if hasty.code != 1 or "not in use yet" not in hasty.err:
            self.inspector.breach("rules", "a plan that does not know the corrected document does not say so")

    def repair_the_rules(self, installation: Installation, claws_back: bool) -> None:
        """The same repair, kindly or exactly."""
        if claws_back:
            chapter("Repaired exactly", "With --claw-back every user has exactly what the right rules give.")
        else:
            chapter("Repaired kindly",
                    "In a copy of the folder: nobody loses what was given by mistake; the waivers say how much.")
        now = WEEK_LATER + 2 * MINUTE
        before = Ledger(installation.data).fortunes(RUNNING_DAY)
        self.api.now = now
        installation.routine(now, "reconcile")
        self.backfill(installation, now + MINUTE, MISTAKEN_DAYS, "rules.json", *(["--claw-back"] if claws_back else []))
        self.api.now = now + 6 * MINUTE
        installation.routine(self.api.now, "reconcile")
        after = Ledger(installation.data).fortunes(RUNNING_DAY)
        lost = [f"{user}: {fortune - after[user]}" for user, fortune in before.items() if fortune - after[user]]
        if claws_back:
            print(f"{len(lost)} users have less than before")
        else:
            self.inspector.require_none(lost, "kind", "users who lost something by a repair that waives")
        self.check("after the correction", now + 9 * MINUTE, installation)

    def close_the_book(self, kind: Installation) -> None:
        """One more day has passed; all is compared for the last time."""
        chapter("The last look",
                "Life has gone on for a day. Every user's balance, the chain of seals, and nothing left to repair.")
        accounts = self.check("at the end", END)
        self.inspector.check_balances(self.installation, accounts, END)
        self.installation.tell(END, "ledger", "stats")
        self.installation.tell(END, "backfill", "--from", FIRST_DAY.isoformat(), "--to", "2026-11-01", "--plan", "nothing.json")
        then = WEEK_LATER + 12 * MINUTE
        self.inspector.check_balances(kind, self.inspector.accounts(kind, then), then)

    def commands(self) -> str:
        """How many commands the story took, and the slowest of them."""
        seconds, command = max(installation.slowest for installation in self.installations)
        return f"{sum(installation.commands for installation in self.installations)} commands, the slowest {seconds:.1f} s ({command})"

    # What recurs in them.

    def live(self, begin: datetime, end: datetime, brings_files: bool = True) -> None:
        """Hours and days as they pass: looks now and then, shortly before and after each midnight, and files."""
        for at, what in self.diary(begin, end):
            if what == "look":
                self.look(at)
            elif brings_files:
                self.deliver(at, self.undelivered(at - 5 * SECOND), at - 5 * SECOND)

    def diary(self, begin: datetime, end: datetime) -> list[tuple[datetime, str]]:
        """When what is done from one instant to another."""
        entries, day = [], FIRST_DAY
        midnights = []
        while day <= END.date():
            midnights += [instant(day, 0, ZoneInfo(zone)) for zone in ZONES]
            day += timedelta(days=1)
        for midnight in midnights:
            entries += [(midnight - 60 * SECOND, "look"), (midnight + 20 * SECOND, "file"),
                        (midnight + 30 * SECOND, "look")]
        at = begin
        while at < end:
            at += self.random.randint(50, 60) * MINUTE + self.random.randint(0, 59) * SECOND
            if all(abs(at - midnight) > 5 * MINUTE for midnight in midnights):
                entries.append((at, "look"))
                if self.random.random() < 0.2:
                    entries.append((at - MINUTE, "file"))
        return sorted(entry for entry in entries if begin < entry[0] < end)

    def look(self, at: datetime) -> None:
        """Looks at everybody whose verdict is open."""
        self.api.now = at
        document = self.installation.routine(at, "reconcile")
        if document["waiting"] or document["problems"] or document["refused"]:
            raise Failed(f"reconcile at {show(at)}: {document}")

    def undelivered(self, until: datetime) -> list[Activity | Credit]:
        """What no route tells and no file has brought yet; it counts as brought now."""
        begin = self.brought
        self.brought = bisect.bisect_right(self.inbox, until, key=moment)
        return self.inbox[begin:self.brought]

    def deliver(self, at: datetime, told: list[Activity | Credit], complete_through: datetime | None,
                spoilt: list[str] = []) -> None:
        """Writes a file, some lines twice, and lets the program take it in."""
        self.files += 1
        activities = tuple(one for one in told if isinstance(one, Activity))
        credits = tuple(one for one in told if isinstance(one, Credit))
        self.sight.readings.append(Reading(at, activities, credits, complete_through))
        text = lines(line(one) for one in told + told[:2]) + "".join(f"{one}\n" for one in spoilt)
        text += lines([{"completeThrough": show(complete_through)}] if complete_through else [])
        name = self.installation.write(f"inbox-{self.files:03}.jsonl", text)
        document = self.installation.routine(at, "ingest", name, codes=(0, 1))
        if document["rejected"] != len(spoilt):
            raise Failed(f"{name}: {document['rejected']} lines rejected, not {len(spoilt)}: {document}")

    def backfill(self, installation: Installation, now: datetime, days: tuple[str, ...], name: str, *options: str) -> None:
        """Plan, a look at it, a limit that is too low, the repair, the same again, and a plan that finds nothing."""
        installation.tell(now, "backfill", *days, *options, "--plan", name)
        plan = json.loads((installation.folder / name).read_text())
        print(f"  the plan: {plan['totals']}")
        if not plan["records"]:
            raise Failed(f"{name} holds no records, but there is something to repair")
        before = len(Ledger(installation.data).records)
        gives = sum(max(record.get("points", 0), 0) for record in plan["records"])
        if gives:
            installation.tell(now + MINUTE, "backfill", "--apply", name, "--max-points", str(gives // 2), codes=REFUSED)
        edited = installation.write(f"edited-{name}", (installation.folder / name).read_text().replace('"points":', '"points":1', 1))
        installation.tell(now + MINUTE, "backfill", "--apply", edited, codes=REFUSED)
        if len(Ledger(installation.data).records) != before:
            raise Failed(f"{name} was refused, but something was appended")
        installation.tell(now + MINUTE, "backfill", "--apply", name, "--max-points", str(gives))
        appended = Ledger(installation.data).records[before:]
        grants = sum(record["type"] == "grant" for record in appended)
        self.compare_with_plan(plan, appended)
        again = installation.tell(now + 2 * MINUTE, "backfill", "--apply", name, codes=(0, *REFUSED))
        installation.run(now + 3 * MINUTE, "backfill", *days, *options, "--plan", f"second-{name}")
        second = json.loads((installation.folder / f"second-{name}").read_text())
        print(f"$ rewards backfill … --plan second-{name}  # {len(second['records'])} records")
        stayed = sum(r["type"] == "grant" for r in Ledger(installation.data).records[before:]) == grants
        if again.code or not stayed or second["records"]:
            self.inspector.breach("repeat", f"{name} applied again ends with {again.code}, a second plan holds "
                                            f"{len(second['records'])} records", *map(json.dumps, second["records"][:3]))

    def compare_with_plan(self, plan: dict, appended: list[dict]) -> None:
        """The records of the plan are appended as they stand there; what follows concerns days that still run.

        Who applied it is told by lines of operators.
        """
        contents = [content(record) for record in appended if record["type"] not in ("seal", "operator")]
        missing = [record for record in map(content, plan["records"]) if record not in contents]
        if missing:
            raise Failed(f"{len(missing)} records of the plan were not appended as planned: {missing[:3]}")
        closed = {(record["zone"], record["day"]) for record in self.installation_closes()}
        for record in contents[len(plan["records"]):]:
            zone = self.world.people[record["user"]].zone
            if "day" in record and (zone, record["day"]) in closed:
                self.inspector.breach("plan", f"a closed day was changed besides the plan: {json.dumps(record)}")

    def installation_closes(self) -> list[dict]:
        """The closes in the main folder: its copy has the same."""
        return Ledger(self.installation.data).of("close")

    def check(self, when: str, now: datetime, installation: Installation | None = None) -> dict:
        """The ledger against truth and law, the program's own audit, also against the oracle's balances."""
        installation = installation or self.installation
        print(f"Checked {when}:")
        accounts = self.inspector.check_ledger(installation, now)
        installation.tell(now, "ledger", "verify")
        balances = [account.balance() for account in accounts.values()]
        told = ("user", "points", "exp", "coins")
        installation.write("balances.jsonl", lines({name: balance[name] for name in told} for balance in balances))
        audit = installation.tell(now, "audit", "--balances", "balances.jsonl", codes=(0, 1), lines=30)
        if audit.code:
            self.inspector.breach("audit", f"the audit {when} did not pass",
                                  *[said for said in audit.out.splitlines() if not said.startswith("passed")][:6])
        return accounts


def chapter(title: str, *text: str) -> None:
    """Begins a chapter."""
    print(f"\n== {title} ==\n" + "\n".join(text) + "\n", flush=True)


def lines(documents_: object) -> str:
    """JSON lines."""
    return "".join(json.dumps(document) + "\n" for document in documents_)


def content(record: dict) -> dict:
    """A record without its place in the ledger."""
    return {name: value for name, value in record.items() if name not in ("seq", "at")}


def moment(one: Activity | Credit) -> datetime:
    """When it happened."""
    return one.start if isinstance(one, Activity) else one.at


def line(one: Activity | Credit) -> dict:
    """An inbox line."""
    if isinstance(one, Credit):
        return {"user": one.user, "kind": "credit", "at": show(one.at), "exp": one.exp, "items": list(one.items),
                "id": one.id}
    return {"user": one.user, "kind": one.kind, "at": show(one.start)}


def main() -> int:
    """Tells the story that the command line asks for and returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the rewards binary, a release build")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave everything in this new folder")
    parser.add_argument("--spoil", choices=("grant", "backfill"),
                        help="prove that the story can fail: it must then end with 1")
    parser.add_argument("--mistake", action="append", choices=documents.MISTAKES,
                        help="a mistake of the rules (repeatable; points, exp and one of the caps unless given)")
    parser.add_argument("--known", action="append", default=[], metavar="BREACH",
                        help="a broken promise that is known (repeatable)")
    options = parser.parse_args()
    options.program = options.program.resolve()
    if not os.access(options.program, os.X_OK):
        parser.error(f"{options.program} cannot be run; build it with swift build -c release")
    if options.keep and options.keep.exists():
        parser.error(f"{options.keep} is there already")
    folder = (options.keep or Path(tempfile.mkdtemp(prefix="rewards-story-"))).resolve()
    began = time.monotonic()
    story = Story(options, folder)
    try:
        story.tell()
    except Failed as failure:
        story.inspector.breach("end", str(failure))
    finally:
        story.api.close()
    breaches = story.inspector.breaches
    is_failed = any(name not in options.known for name in breaches)
    print()
    for name, texts in breaches.items():
        print(f"{'known' if name in options.known else 'FAILED'} ({name}), {len(texts)} times: {texts[0]}")
    verdict = "failed" if is_failed else "passed"
    print(f"{verdict}; {story.commands()}; seed {options.seed}, {time.monotonic() - began:.1f} s")
    if is_failed:
        print(f"kept: {folder}")
    elif not options.keep:
        shutil.rmtree(folder)
    return 1 if is_failed else 0


if __name__ == "__main__":
    sys.exit(main())
