"""What operators do at night, as scenes for failing calls: a reconciliation with looks, a plan that is applied, a backup, an index,
segments that are packed.

What has to come of it is what a healthy run of the same command makes: the same grants with the same amounts, the same closes.
"""

import shutil

from Faults.contents import Contents
from Faults.place import SEGMENT, Place, user_lines
from Faults.scenes import Scene
from Shared.api import SimulatedAPI
from Shared.civil import parse
from Shared.program import json_lines

NIGHTS = ["reconcile", "backfill", "backup", "index", "compact"]
USERS = [f"u{number}" for number in range(6)]
BEGIN, NIGHT, LATER, NOW = (f"2026-11-{at}Z" for at in ("01T00:00:00", "03T02:00:00", "04T12:00:00", "04T12:05:00"))
BACKUP = "kept"
# Everybody but the first has streamed, watched and given on the second day.
ACTIVITIES = [[user, kind, parse(f"2026-11-02T{start}Z"), parse(f"2026-11-02T{end}Z")] for user in USERS[1:] for kind, start, end in (
    ("stream", "12:00:00", "13:00:00"), ("watch", "14:00:00", "14:30:00"), ("gift", "15:00:00", "15:00:00"))]


class Night(Scene):
    """A state of the data folder before a command of a night, and what is to be there after it."""

    logins = "the night's grants"

    def __init__(self, name, options, outcome):
        self.name = name
        # Answers come in any order, and are written down as they come.
        self.is_steady = name != "reconcile"
        self.api = SimulatedAPI(ACTIVITIES, [], lambda: parse(NIGHT), lambda *_: None)
        self.home = Place(options, outcome, api=self.api.settings)
        self.home.write("users.jsonl", user_lines(USERS))
        self.home.write("comments.jsonl", comment_lines("2026-11-01", USERS[:4]) + comment_lines("2026-11-02", USERS[2:]))
        self.home.write("late.jsonl", comment_lines("2026-11-02", USERS[:2]))
        self.run("users", "import", "users.jsonl", at=BEGIN)
        self.run("ingest", "comments.jsonl", at=NIGHT)
        if name == "reconcile":
            self.words = ("reconcile", "--now", NIGHT)
        else:
            self.run("reconcile", at=NIGHT)
            self.run("ingest", "late.jsonl", at=LATER)
            self.words = self.prepare(name)
        self.wanted = self.made_by_a_healthy_run(options, outcome)

    def prepare(self, name):
        """The words of the command."""
        if name == "backfill":
            self.run("backfill", "--plan", "plan.jsonl", at=LATER)
            return ("backfill", "--apply", "plan.jsonl", "--now", NOW)
        if name == "backup":
            # There is an older one, to which the new one is added.
            self.run("ledger", "backup", str(self.home.data / BACKUP), at=NIGHT)
            self.run("reconcile", at=LATER)
            return ("ledger", "backup", BACKUP)
        if name == "compact":
            divide(self.home.ledger)
            return ("ledger", "compact")
        return ("ledger", "index")

    def run(self, *words, at):
        """Runs a command at home."""
        self.home.run(*words, *(() if words[0] == "ledger" else ("--now", at)), codes=(0, 1))

    def made_by_a_healthy_run(self, options, outcome):
        """What stands in the ledger once the command has run."""
        place = Place(options, outcome)
        self.copy_to(place)
        place.run(*self.words_at(place), codes=(0, 1))
        made = summary(Contents(place.ledger))
        shutil.rmtree(place.folder)
        return made

    def words_at(self, place):
        """The command line at a place."""
        return tuple(str(place.data / word) if word == BACKUP else word for word in self.words)

    def is_done(self, found):
        """Whether the ledger has what a healthy run makes: no grant more, none less."""
        return summary(found) == self.wanted

    def is_repaired(self, place):
        """Whether what lies beside the ledger can be used."""
        if self.name == "backup":
            return place.run("ledger", "verify", "--data", str(place.data / BACKUP), codes=None).code == 0
        if self.name == "compact":
            names = sorted(path.name for path in place.ledger.iterdir())
            return [name.endswith(".jsonl.zst") for name in names] == [True, True, False] and names[2].endswith(".jsonl")
        return True


def divide(folder):
    """Makes three segments of a ledger's one, as if it had been too long twice."""
    whole = folder / SEGMENT
    ends = Contents(folder).reader.ends
    text = whole.read_bytes()
    cuts = [0, ends[len(ends) // 3], ends[2 * len(ends) // 3], len(text)]
    for begin, end in zip(cuts, cuts[1:]):
        first = text[:begin].count(b"\n") + 1
        (folder / f"{first:020}.jsonl").write_bytes(text[begin:end])


def summary(found):
    """What a night has brought."""
    return sorted(found.amounts.items()), sorted(found.closes)


def comment_lines(day, users):
    """Lines that say that each of these users has commented on a day, in UTC."""
    return json_lines({"user": user, "kind": "comment", "at": f"{day}T10:00:00Z"} for user in users)
