#!/usr/bin/env python3
"""The operators' story, told with the real program and held against an independent oracle.

A night with an API outage from 22:00 to 02:00 in three zones, late inbox files the next morning, a rule mistake found a
week later; each repaired with the program's own commands. In the end every audit passes and every user has what the law
says, by the oracle of the random lives. Prints the story; ends with 1, and says why, when it does not hold.
"""

import argparse
import bisect
import copy
import shutil
import sys
import tempfile
import time
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Lives.checks import Inspector
from Lives.closing import close_ended
from Lives.facts import ALWAYS, API_KINDS
from Lives.installation import LoggedInstallation
from Lives.plans import REFUSED, Plans
from Lives.player import Player, inbox_line
from Shared.civil import DAY, first_instant, parse, show
from Shared.places import Folder
from Shared.program import Answer, Failed, arguments, json_lines
from Story import documents
from Story.checks import check_truth
from Story.world import FIRST_DAY, LAST_DAY, OUTAGE_DAY, ZONES, World, instant

IMPORT = parse("2026-10-20T12:00:00Z")
BEGIN = parse("2026-10-20T15:00:00Z")
LAST_FILE = parse("2026-10-24T12:30:00Z")
MORNING = parse("2026-10-25T12:00:00Z")
WEEK_LATER = parse("2026-11-01T12:00:00Z")
END = parse("2026-11-02T12:00:00Z")
# The days that the mistaken document judged and that are closed when the mistake is found.
MISTAKEN_DAYS = {"from": "2026-10-22", "to": "2026-10-31"}
MINUTE = 60
LINES_SHOWN = 12


class Narrated(LoggedInstallation):
    """An installation whose commands are printed with the first lines of their answers, but for those that answer in JSON."""

    def run(self, now: int, *words: str, **options: object) -> Answer:
        """Runs a command."""
        answer = super().run(now, *words, **options)
        if "json" not in words and "export" not in words:
            said = (answer.out + answer.err).splitlines()
            print("\n  ".join([f"$ {answer.command}", *said[:LINES_SHOWN]]))
            print(f"  … {len(said) - LINES_SHOWN} more lines\n" * (len(said) > LINES_SHOWN)
                  + f"  (exit code {answer.code})\n" * (answer.code > 0), end="")
        return answer

    def routine(self, now: int, *words: str) -> dict:
        """Runs one of the many commands of every day and prints it on one line; returns its JSON answer."""
        answer = self.run(now, *words, "--format", "json", codes=(0, 1))
        document = answer.document
        told = [f"closed {day['zone']} {day['day']}" for day in document.get("closed", [])]
        told += [f"{document[name]} {name}" for name in ("grants", "points", "unknown") if document.get(name)]
        told += [f"{sum(document['failedLooks'].values())} polls failed"] if document.get("failedLooks") else []
        print(f"$ {answer.command.replace(' --format json', '')}  # {', '.join(told) or 'nothing new'}")
        return document


class Story(Player):
    """The chapters, in order; each begins where the one before has ended. A command's number is its instant."""

    installation_type = Narrated

    def __init__(self, options: argparse.Namespace, folder: Path):
        self.options, self.folder = options, folder
        self.world = World(options.seed, documents.FIRST["catalogue"])
        self.random = self.world.random
        mistakes = options.mistake or ["points", "exp", self.random.choice(("cap-low", "cap-high"))]
        super().__init__({
            "api": True, "mark": True, "steps": [{"now": IMPORT}],
            "documents": [documents.FIRST, documents.mistaken(mistakes)],
            "activities": [[a.user, a.kind, a.start, a.end] for a in self.world.activities() if a.kind in API_KINDS],
            "outages": [[instant(OUTAGE_DAY, 22, zone), instant(OUTAGE_DAY, 26, zone)] for zone in ZONES],
        }, options.program, folder / "installation", Folder(folder / "installation"), options.spoil == "grant")
        self.api.refusal = 503
        # What no route tells, in order; how much of it some file has brought.
        self.inbox = [line for line in self.world.lines() if line["at"] > IMPORT]
        self.brought = 0
        self.files = 0

    def copy(self, folder: Path) -> "Story":
        """The same once more, with an installation in a folder of its own, of which what follows is told."""
        other = copy.copy(self)
        shutil.copytree(self.installation.folder, folder, ignore=shutil.ignore_patterns("control.sock"))
        other.installation = Narrated(self.options.program, folder, self.installation.settings, Folder(folder))
        other.facts = copy.deepcopy(self.facts)
        other.inspector = Inspector(other.installation, other.facts, self.inspector.spoil)
        other.plans = Plans(other.installation, other.facts, other.inspector)
        return other

    def go(self, now: int) -> None:
        """Goes on to an instant."""
        self.number = self.now = now
        self.inspector.present(now, now)
        self.api.now, self.api.told = lambda: now, self.take_look

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
        kind = self.copy(self.folder / "kind")
        kind.repair_the_rules(claws_back=False)
        self.repair_the_rules(claws_back=True)
        self.live(WEEK_LATER + 30 * MINUTE, END)
        self.close_the_book(kind)

    # The chapters.

    def begin(self) -> None:
        """The roster, the rules, the first look."""
        chapter("The users come in", "Fifty-four users in Tokyo, Berlin and São Paulo, some with a balance from before.")
        self.go(IMPORT)
        for name, _ in self.rules_files:
            self.installation.run(IMPORT, "rules", "check", name)
        roster = [person.roster_line() for person in self.world.people.values()]
        self.do_import({"lines": roster})
        self.installation.run(IMPORT, "users", "import", "-", given=json_lines(roster))

    def outage(self) -> None:
        """Nobody is seen from 22:00 to 02:00, and the inbox is silent until the morning."""
        chapter("The night of the outage",
                f"The API answers 503 from 22:00 to 02:00 of {OUTAGE_DAY}, in each zone's own night;",
                "the files of the app's other services do not come either. The days are closed as ever.")
        self.live(LAST_FILE, MORNING, brings_files=False)

    def morning(self) -> None:
        """The late files."""
        chapter("The next morning", "The files of the night come late, in any order.")
        missing = self.undelivered(MORNING)
        self.random.shuffle(missing)
        third = len(missing) // 3
        spoilt = '{"user":"user-00","kind":"login","at":"2026-10-24 25:61:00"}\n'
        self.deliver(MORNING + 1 * MINUTE, missing[:third], spoilt=spoilt)
        self.deliver(MORNING + 2 * MINUTE, missing[third:2 * third])
        self.deliver(MORNING + 3 * MINUTE, missing[2 * third:], MORNING)
        self.look(MORNING + 5 * MINUTE)

    def repair_the_night(self) -> None:
        """Who was hidden, the excuse, the plan, a look at it, and the repair."""
        chapter("Repairing the night",
                "Whom did the outage hide? Nobody's streak shall break by it, and what came late shall count.")
        now, day = MORNING + 10 * MINUTE, OUTAGE_DAY.isoformat()
        self.go(now)
        self.installation.run(now, "excuse", "--propose", codes=(1,))
        hidden = self.installation.run(now, "excuse", "--propose", "--format", "json", codes=(1,)).document["hidden"]
        if day not in [entry["day"] for entry in hidden]:
            raise Failed("excuse", f"nobody is named as hidden on {day}: {hidden}")
        self.do_excuse({"from": day, "to": day, "users": []})
        if self.options.spoil != "backfill":
            self.backfill(now, {"name": "night", "from": day, "to": day, "users": [], "claws_back": False})
        for night, codes in (("late stream", (0,)), ("hidden stream", (0, 1))):
            user = next(person.user for person in self.world.people.values() if person.night == night)
            self.installation.run(now + 8 * MINUTE, "explain", user, day, "stream", codes=codes)
        self.check("after the repair", now + 9 * MINUTE)

    def find_the_mistake(self) -> None:
        """The rules give what nobody meant; a corrected document is loaded."""
        chapter("A week later",
                "The shop wonders: 51 points for watching? The digits are exchanged; and a level's cap looks wrong too.",
                "The ledger is true to the rules that were loaded, so the audit has nothing to find.")
        self.look(WEEK_LATER)
        self.check("under the mistaken rules", WEEK_LATER)
        self.go(WEEK_LATER + MINUTE)
        self.put_documents([documents.corrected()], leaves_out=False)
        self.installation.run(self.now, "rules", "check", self.rules_files[-1][0])
        self.installation.run(self.now, "rules", "show")
        hasty = self.installation.run(self.now, "backfill", "--from", MISTAKEN_DAYS["from"], "--to", MISTAKEN_DAYS["to"],
                                      "--plan", "first-look.json", codes=(1,))
        if "not in use yet" not in hasty.err:
            raise Failed("rules", "a plan that does not know the corrected document does not say so")

    def repair_the_rules(self, claws_back: bool) -> None:
        """The same repair, kindly or exactly."""
        if claws_back:
            chapter("Repaired exactly", "With --claw-back every user has exactly what the right rules give.")
        else:
            chapter("Repaired kindly",
                    "In a copy of the folder: nobody loses what was given by mistake; the waivers say how much.")
        self.look(WEEK_LATER + 2 * MINUTE)
        self.backfill(WEEK_LATER + 3 * MINUTE, {"name": "rules", **MISTAKEN_DAYS, "users": [], "claws_back": claws_back})
        self.look(WEEK_LATER + 8 * MINUTE)
        self.check("after the correction", WEEK_LATER + 11 * MINUTE)

    def close_the_book(self, kind: "Story") -> None:
        """One more day has passed; all is compared for the last time."""
        chapter("The last look",
                "Life has gone on for a day. Every user's balance, the chain of seals, and nothing left to repair.")
        self.check("at the end", END)
        self.installation.run(END, "ledger", "stats")
        self.do_plan({"name": "nothing", "from": FIRST_DAY.isoformat(), "to": "2026-11-01", "users": [], "claws_back": False,
                      "is_empty": True})
        kind.go(WEEK_LATER + 12 * MINUTE)
        kind.do_compare({})

    # What recurs in them.

    def live(self, begin: int, end: int, brings_files: bool = True) -> None:
        """Hours and days as they pass: looks now and then, shortly before and after each midnight, and files."""
        for at, what in self.diary(begin, end):
            if what == "look":
                self.look(at)
            elif brings_files:
                self.deliver(at, self.undelivered(at - 5), at - 5)

    def diary(self, begin: int, end: int) -> list[tuple[int, str]]:
        """When what is done from one instant to another."""
        midnights = [first_instant(zone, FIRST_DAY + DAY * number) for zone in ZONES for number in range((LAST_DAY - FIRST_DAY).days)]
        entries = [entry for midnight in midnights
                   for entry in ((midnight - 60, "look"), (midnight + 20, "file"), (midnight + 30, "look"))]
        at = begin
        while at < end:
            at += self.random.randint(50 * MINUTE, 61 * MINUTE)
            if all(abs(at - midnight) > 5 * MINUTE for midnight in midnights):
                entries.append((at, "look"))
                if self.random.random() < 0.2:
                    entries.append((at - MINUTE, "file"))
        return sorted(entry for entry in entries if begin < entry[0] < end)

    def look(self, at: int) -> None:
        """Looks at everybody whose verdict is open, and closes the days that have ended."""
        self.go(at)
        document = self.installation.routine(at, "reconcile")
        if document["waiting"] or document["problems"] or document["refused"]:
            raise Failed("reconcile", f"at {show(at)}: {document}")
        close_ended(self.inspector, self.number, at, None, None)

    def undelivered(self, until: int) -> list[dict]:
        """What no route tells and no file has brought yet; it counts as brought now."""
        begin = self.brought
        self.brought = bisect.bisect_right(self.inbox, until, key=lambda line: line["at"])
        return self.inbox[begin:self.brought]

    def deliver(self, at: int, told: list[dict], complete_through: int | None = None, spoilt: str = "") -> None:
        """Writes a file, some lines twice, and lets the program take it in."""
        self.go(at)
        self.files += 1
        lines = told + told[:2] + ([{"completeThrough": complete_through}] if complete_through else [])
        rejected = self.take_lines(lines) + spoilt.count("\n")
        name = f"inbox-{self.files:03}.jsonl"
        self.installation.write(name, json_lines(map(inbox_line, lines)) + spoilt)
        document = self.installation.routine(at, "ingest", name)
        if document["rejected"] != rejected:
            raise Failed("ingest", f"{name}: {document['rejected']} lines rejected, not {rejected}: {document}")

    def backfill(self, now: int, step: dict) -> None:
        """Plan, a look at it, a limit that is too low, a forgery, the repair, the same again, and a plan that finds nothing."""
        self.go(now)
        self.do_plan(step)
        name, plan = f"{step['name']}.json", self.plans.made[step["name"]].document
        print(f"  the plan: {plan['totals']}")
        if not plan["records"]:
            raise Failed("plan", f"{name} holds no records, but there is something to repair")
        self.go(now + MINUTE)
        before = self.inspector.records(with_seals=True)
        gives = sum(max(record.get("points", 0), 0) for record in plan["records"])
        if gives:
            self.installation.run(self.now, "backfill", "--apply", name, "--max-points", str(gives // 2), codes=REFUSED)
        text = (self.installation.folder / name).read_text()
        self.installation.write(f"edited-{name}", text.replace('"points":', '"points":1', 1))
        self.installation.run(self.now, "backfill", "--apply", f"edited-{name}", codes=REFUSED)
        if self.inspector.records(with_seals=True) != before:
            raise Failed("plan", f"{name} was refused, but something was appended")
        self.do_apply({**step, "words": ("--max-points", str(gives))})
        self.go(now + 2 * MINUTE)
        self.do_apply(step)
        self.go(now + 3 * MINUTE)
        self.do_plan({**step, "name": f"second-{step['name']}", "is_empty": True})

    def check(self, when: str, now: int) -> None:
        """The ledger against law and truth, and the program's own audit, also against the oracle's balances."""
        print(f"Checked {when}:")
        self.go(now)
        self.do_compare({})
        records = self.inspector.records()
        accounts = {name: self.inspector.account(name, records, lambda closed: ALWAYS) for name in self.facts.users}
        waiting = [name for name, account in accounts.items() if account.grants != self.inspector.account(name, records).grants]
        if waiting:
            raise Failed("repair", f"{when}, something that was told does not count yet for {', '.join(waiting)}")
        check_truth(self.world, self.facts, records, now)
        self.installation.run(now, "ledger", "verify")
        balances = [account.balance() for account in accounts.values()]
        self.installation.write("balances.jsonl", json_lines(
            {name: balance[name] for name in ("user", "points", "exp", "coins")} for balance in balances))
        self.installation.run(now, "audit", "--balances", "balances.jsonl")
        print(f"  {len(balances)} balances are what the oracle says")


def chapter(title: str, *text: str) -> None:
    """Begins a chapter."""
    print(f"\n== {title} ==\n" + "\n".join(text) + "\n", flush=True)


def main() -> int:
    """Tells the story that the command line asks for and returns the exit code."""
    parser = arguments(__doc__)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave everything in this new folder")
    parser.add_argument("--spoil", choices=("grant", "backfill"),
                        help="prove that the story can fail: it must then end with 1")
    parser.add_argument("--mistake", action="append", choices=documents.MISTAKES,
                        help="a mistake of the rules (repeatable; points, exp and one of the caps unless given)")
    options = parser.parse_args()
    if options.keep and options.keep.exists():
        parser.error(f"{options.keep} is there already")
    folder = (options.keep or Path(tempfile.mkdtemp(prefix="rewards-story-"))).resolve()
    began = time.monotonic()
    story, failure = Story(options, folder), None
    try:
        story.tell()
    except Failed as failed:
        failure = failed
    finally:
        story.api.close()
    print(f"\n{f'FAILED: {failure}; kept: {folder}' if failure else 'passed'}; {story.inspector.compared} comparisons; "
          f"seed {options.seed}, {time.monotonic() - began:.1f} s")
    if not failure and not options.keep:
        shutil.rmtree(folder)
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main())
