"""Plays a life: runs its steps with the program, tells the facts what was told, and lets the inspector look.

A step that has lost its ground, because a shorter life leaves something out, is passed over.
"""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Protocol

from Lives.amounts import net_amounts, owner, settled
from Lives.checks import Inspector
from Lives.closing import close_ended
from Lives.facts import Credit, Excuse, Facts, Outage, User
from Lives.installation import LoggedInstallation
from Lives.plans import Plans
from Lives.tables import copy_tables, make_table
from Lives.timeline import Cut, Move
from Shared.api import SimulatedAPI
from Shared.civil import show
from Shared.places import Database, Folder
from Shared.program import Answer, Failed, json_lines

Step = dict
REFUSED = (1, 64, 65, 75, 77)


class Store(Protocol):
    """The app's documents."""

    # How many documents were compared with the ledger, and with the oracle too.
    compared: int
    judged: int

    def visit(self, step: Step) -> None:
        """Lets the service write, and compares."""

    def close(self) -> None:
        """Ends what serves the documents."""


class Player:
    """One life in a folder of its own. `play` raises `Failed` where a promise does not hold."""

    installation_type = LoggedInstallation

    def __init__(self, life: dict, program: Path, folder: Path, place: Folder | Database, spoil: bool):
        self.life, self.number, self.now = life, 0, life["steps"][0]["now"]
        self.facts = Facts(life["api"], life["mark"])
        self.api: SimulatedAPI | None = None
        settings: dict = {"users": "./users.jsonl"}
        if life["mark"]:
            settings["inbox"] = {"requireWatermark": True}
        if life["api"]:
            self.api = SimulatedAPI(life["activities"], life["outages"], lambda: self.now, self.take_look)
            settings["api"] = self.api.settings
        self.installation = self.installation_type(program, folder, settings, place)
        self.inspector = Inspector(self.installation, self.facts, spoil)
        self.plans = Plans(self.installation, self.facts, self.inspector)
        self.rules_files: list[tuple[str, dict]] = []
        # The app's documents, in a life that has them.
        self.store: Store | None = None
        # The folder of the zones' tables; the system's at first.
        self.table = ""
        # What is done before a step, by its number.
        self.before: dict[int, Callable[[int], None]] = {}
        self.put_documents(life["documents"], leaves_out=False)

    def play(self) -> None:
        """Plays all steps."""
        try:
            for self.number, step in enumerate(self.life["steps"], 1):
                self.now = step["now"]
                self.before.get(self.number, lambda _: None)(self.now)
                self.inspector.present(self.number, self.now)
                if self.api:
                    self.installation.log.append(f"echo {show(self.now)} > now")
                getattr(self, f"do_{step['do']}")(step)
        finally:
            if self.api:
                self.api.close()

    def run(self, step: Step, *words: str, given: str = "", codes: tuple[int, ...] = (0,)) -> Answer:
        """Runs the command of a step, once more when it is killed first."""
        return self.installation.run(self.now, *words, given=given, codes=codes, kill_after=step.get("kill"))

    def take_look(self, name: str, kind: str, seen: list[tuple[int, int | None]]) -> None:
        """Notes what the API told."""
        if name in self.facts.users:
            self.facts.take_look(self.number, self.now, name, kind, seen)

    # The roster.

    def do_import(self, step: Step) -> None:
        """Users come, move or come back."""
        lines = [{name: line[name] for name in ("user", "timezone", "since", "opening") if name in line}
                 for line in step["lines"]]
        self.run(step, "users", "import", "-", given=json_lines(map(roster_line, lines)))
        for line in lines:
            user = self.facts.users.setdefault(line["user"], User(line["user"], line.get("opening", {}), self.number,
                                                                            cuts=[Cut(None, self.table)]))
            since = date.fromisoformat(line["since"]) if "since" in line else None
            user.moves.append(Move(self.now, line["timezone"], since, self.table))

    def do_remove(self, step: Step) -> None:
        """A user leaves."""
        user = self.facts.users.get(step["user"])
        if user and user.is_present:
            self.run(step, "users", "remove", user.name)
            user.moves.append(Move(self.now, None))

    # What happens and is told.

    def do_ingest(self, step: Step) -> None:
        """Inbox lines from standard input."""
        rejected = self.take_lines(step["lines"])
        answer = self.run(step, "ingest", "-", "--format", "json", given=json_lines(map(inbox_line, step["lines"])),
                          codes=(0, 1)).document
        if answer["rejected"] != rejected:
            raise Failed("ingest", f"{answer['rejected']} lines were rejected, not {rejected}")
        self.inspector.check_changes(self.number, {line["user"] for line in step["lines"] if "user" in line})

    def take_lines(self, lines: list[dict]) -> int:
        """Takes lines in; how many are to be rejected."""
        rejected = 0
        for line in lines:
            if "completeThrough" in line:
                self.facts.mark = max(self.facts.mark, line["completeThrough"])
            elif not self.facts.take_line(self.number, self.now, line, line["at"]):
                rejected += 1
            else:
                self.inspector.note_fact(line["user"])
        return rejected

    def do_reconcile(self, step: Step) -> None:
        """Looks, judges, closes; before it, documents and inbox files may be put in place."""
        if step.get("documents") or step.get("leaves_out"):
            self.put_documents(step.get("documents", []), step.get("leaves_out", False))
            self.inspector.stale |= set(self.facts.users)
        if step.get("incoming"):
            self.installation.put(f"inbox/incoming/{self.number}.jsonl", json_lines(map(inbox_line, step["incoming"])))
            self.take_lines(step["incoming"])
        scope = [word for zone in step.get("zones", ()) for word in ("--zone", zone)]
        scope += [word for user in step.get("users", ()) for word in ("--user", user)]
        scope += ["--day", step["day"]] if "day" in step else []
        scope += ["--prove"] if step.get("proves") else []
        answer = self.run(step, "reconcile", "--confirm", "--format", "json", *scope, codes=(0, 1)).document
        if step.get("proves") and answer["proof"]["wouldAppend"]:
            raise Failed("prove", f"a second run would append {answer['proof']['wouldAppend']} records")
        if "users" not in step:
            close_ended(self.inspector, self.number, self.now, step.get("zones"), step.get("day"))
        self.inspector.check_changes(self.number, self.in_scope(step), judges_all=True)

    def in_scope(self, step: Step) -> set[str]:
        """The users that a reconcile judges for sure."""
        users = self.facts.users
        if "users" in step:
            return set(step["users"]) & set(users)
        return {name for name, user in users.items() if user.is_present and name not in self.inspector.uncertain
                and ("zones" not in step or user.windows(self.now)[-1].zone in step["zones"])}

    def put_documents(self, documents: list[dict], leaves_out: bool) -> None:
        """Writes documents and names them in the configuration; the next command brings them into use."""
        for document in documents:
            name = f"rules-{document['version']}.json"
            self.installation.write(name, json.dumps(document))
            self.rules_files.append((name, document))
            self.facts.documents.append((self.number, document))
        first = {document["version"] for document in self.life["documents"]}
        self.installation.configure(rules=[f"./{name}" for name, document in self.rules_files
                                   if not leaves_out or document["version"] in first])

    # The acts of operators.

    def do_outage(self, step: Step) -> None:
        """An outage is declared."""
        self.run(step, "excuse", "--outage", f"{show(step['from'])}..{show(step['to'])}", "--reason", "nobody could look")
        self.facts.outages.append(Outage(self.number, step["from"], step["to"]))
        for user in self.facts.users:
            self.inspector.note_fact(user)

    def do_excuse(self, step: Step) -> None:
        """Days are pardoned."""
        users = [user for user in step["users"] if user in self.facts.users]
        if step["users"] and not users:
            return
        self.run(step, "excuse", "--from", step["from"], "--to", step["to"], "--reason", "an outage",
                 *(word for user in users for word in ("--user", user)))
        self.facts.excuses.append(Excuse(self.number, date.fromisoformat(step["from"]), date.fromisoformat(step["to"]),
                                         tuple(users)))
        for user in users or list(self.facts.users):
            self.inspector.note_fact(user)

    def do_grant(self, step: Step) -> None:
        """A gift by hand."""
        user = self.facts.users.get(step["user"])
        windows = user.windows(self.now) if user is not None and user.is_present else []
        # Between the day of leaving and the first one after a return, no day runs.
        if not windows or windows[-1].is_over:
            return
        words = [word for unit in ("points", "exp", "coins") if step.get(unit) for word in (f"--{unit}", str(step[unit]))]
        words += [word for item in step["items"] for word in ("--item", item)]
        self.run(step, "grant", user.name, *words, "--reason", "a prize", "--id", step["id"])
        key = f"{user.name}/manual/{step['id']}"
        user.credits[key] = Credit(self.number, self.now, step.get("exp", 0), tuple(step["items"]),
                                   step.get("points", 0), step.get("coins", 0), key)
        self.inspector.stale.add(user.name)

    def do_reverse(self, step: Step) -> None:
        """A grant is taken back, or given back."""
        records = self.inspector.records()
        void = {record["key"] for record in records if record["type"] == "reversal"}
        void &= {key for account in settled(records).values() for key in account.void}
        undoes = step.get("undoes", False)
        standing = sorted(void if undoes else {k for k in net_amounts(records) if "/waived/" not in k} - void)
        if "key" not in step and standing:
            step["key"] = standing[step["pick"] % len(standing)]
        if step.get("key") not in standing:
            return
        name = owner(step["key"])
        words = ["--undo"] if undoes else ["--below-zero"] if step.get("below_zero") else []
        answer = self.run(step, "reverse", step["key"], "--reason", "a mistake", *words, codes=(0, *REFUSED))
        if answer.code and not self.inspector.waits(name):
            raise Failed(f"exit {answer.code} of reverse", f"{answer.command} ended with {answer.code}: {answer.out}{answer.err}")
        if undoes and name in self.plans.applied_since_reversal.get(step["key"], ()):
            self.inspector.hazy.add(name)
        self.plans.applied_since_reversal[step["key"]] = set()
        self.inspector.stale.add(name)

    def do_release(self, step: Step) -> None:
        """A grant that a limit holds back is let through."""
        records = self.inspector.records()
        reversed_keys = {record["key"] for record in records if record["type"] == "reversal"}
        held = sorted({key for account in settled(records).values() for key in account.void} - reversed_keys)
        if "key" not in step and held:
            step["key"] = held[step["pick"] % len(held)]
        if step.get("key") in held:
            self.run(step, "release", step["key"], "--reason", "checked", codes=(0, *REFUSED))
            self.inspector.stale.add(owner(step["key"]))

    def do_plan(self, step: Step) -> None:
        """Works out a repair."""
        self.plans.make(step, self.number, self.now)

    def do_apply(self, step: Step) -> None:
        """Applies a repair."""
        self.plans.apply(step, self.number, self.now)

    # What may happen to the machine, and what is asked.

    def do_forget(self, step: Step) -> None:
        """The caches are lost."""
        self.installation.log.append(self.installation.place.forget_state())
        self.inspector.looks_lost_at = self.now

    def do_tables(self, step: Step) -> None:
        """Another version of the time zone database takes the place of the one before."""
        folder = self.installation.folder / f"zones-{self.number}"
        make_table(folder, self.life["zones"], self.table, step["zone"], step["from"], step["shift"])
        self.installation.use_zones(folder)
        self.table = str(folder)
        for user in self.facts.users.values():
            user.cuts.append(Cut(max(user.closed, default=None), self.table))
            self.inspector.stale.add(user.name)

    def do_vanish(self, step: Step) -> None:
        """A night in which a zone's name is not known: its users wait, and lose nothing. Whoever is about to move leaves such a zone
        where the last closed day has ended; that is not played."""
        if any(self.moves_away(user, step["zone"]) for user in self.facts.users.values()):
            return
        before, folder = self.installation.environment.get("TZDIR"), self.installation.folder / f"zones-{self.number}"
        copy_tables(folder, set(self.life["zones"]) - {step["zone"]}, self.table)
        self.installation.use_zones(folder)
        lines = self.told(step)
        self.take_lines(lines)
        self.run(step, "ingest", "-", given=json_lines(map(inbox_line, lines)), codes=(0, 1))
        self.run(step, "reconcile", "--confirm", codes=(0, 1))
        self.installation.use_zones(before and Path(before))
        known = [zone for zone in self.life["zones"] if zone != step["zone"]]
        close_ended(self.inspector, self.number, self.now, known, None)
        self.inspector.stale |= set(self.facts.users)

    def do_ahead(self, step: Step) -> None:
        """The clock is ahead: nights are closed that have not come. What it wrote is taken back."""
        wrong, lines = self.now + step["by"], self.told(step)
        self.installation.run(wrong, "reconcile", "--confirm", codes=(0, 1))
        self.take_lines(lines)
        self.installation.run(wrong + 60, "ingest", "-", given=json_lines(map(inbox_line, lines)), codes=(0, 1))
        self.run(step, "doctor", "--undo-future")
        self.inspector.check_changes(self.number, {line["user"] for line in lines})

    def do_restore(self, step: Step) -> None:
        """A backup takes the place of the data; what the inbox was told since is handed in again."""
        backup, lines = f"backup-{self.number}", self.told(step)
        self.installation.run(self.now, "ledger", "backup", backup)
        given = json_lines(map(inbox_line, lines))
        self.take_lines(lines)
        self.run(step, "ingest", "-", given=given, codes=(0, 1))
        self.installation.log.append(self.installation.place.lose())
        self.installation.run(self.now, "ledger", "restore", backup)
        self.run(step, "ingest", "-", "--after-restore", given=given, codes=(0, 1))
        self.inspector.looks_lost_at = self.now
        self.inspector.check_changes(self.number, {line["user"] for line in lines})

    def moves_away(self, user: User, zone: str) -> bool:
        """Whether a day of the user that is not closed ends in the zone, and a move to another one was told since it began."""
        open_days = [window for window in user.windows(self.now) if window.day not in user.closed and window.zone == zone]
        return bool(open_days) and any(move.zone not in (None, zone) and move.at >= open_days[0].start for move in user.moves)

    def told(self, step: Step) -> list[dict]:
        """The lines of a step about users who are there."""
        users = self.facts.users
        return [line for line in step["lines"] if line["user"] in users and users[line["user"]].is_present]

    def do_compact(self, step: Step) -> None:
        """Old segments are packed."""
        self.run(step, "ledger", "compact")

    def do_verify(self, step: Step) -> None:
        """The chain of seals."""
        answer = self.run(step, "ledger", "verify", "--format", "json").document
        if not answer["ok"]:
            raise Failed("verify", str(answer["damage"]))

    def do_audit(self, step: Step) -> None:
        """The program's own checks."""
        self.inspector.audit()

    def do_explain(self, step: Step) -> None:
        """Why a user-day is as it is."""
        closed = sorted((name, day) for name, user in self.facts.users.items() for day in user.closed)
        if "day" not in step and closed:
            step["user"], step["day"] = closed[step["pick"] % len(closed)]
            step["day"] = step["day"].isoformat()
        if "day" in step and (step["user"], date.fromisoformat(step["day"])) in closed:
            self.inspector.explain(step["user"], date.fromisoformat(step["day"]))

    def do_store(self, step: Step) -> None:
        """The service writes into the app's documents."""
        if self.store:
            self.store.visit(step)

    def do_compare(self, step: Step) -> None:
        """Every key and every balance."""
        self.inspector.compare_all()


def roster_line(line: dict) -> dict:
    """A line as the roster takes it."""
    until = line.get("opening", {}).get("boosterUntil")
    return line if until is None else line | {"opening": line["opening"] | {"boosterUntil": show(until)}}


def inbox_line(line: dict) -> dict:
    """A line as the inbox takes it."""
    return {name: show(value) if name in ("at", "completeThrough") else value for name, value in line.items()}
