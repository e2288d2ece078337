"""A second installation that is told all that a first one is told, with its users divided among the shards of a database.

What users have must not depend on where their ledgers lie.
"""

import hashlib
import os
import random
import re
import shutil
from collections import Counter, defaultdict
from pathlib import Path

from Lives.amounts import net_amounts, trimmed
from Lives.installation import LoggedInstallation
from Shared.civil import show
from Shared.installation import Installation
from Shared.places import Database
from Shared.program import Answer, Failed

# About files of a folder.
FOLDERS_OWN = (("ledger", "compact"), ("ledger", "verify"))


class Twin(Installation):
    """The shards beside an installation."""

    def __init__(self, first: LoggedInstallation, place: Database, shards: int):
        self.first, self.shards = first, shards
        folder = first.folder.parent / "twin"
        shutil.copytree(first.folder, folder, ignore=shutil.ignore_patterns("data"))
        super().__init__(first.program, folder, first.settings | {"data": place.address}, place)
        # The zones of the first, also when they change.
        self.environment = first.environment

    def take_file(self, name: str, text: str, settings: dict) -> None:
        """Writes what is written at the first; of its configuration all but the place of the data."""
        if name == "rewards.json":
            self.configure(**settings | {"data": self.place.address})
        else:
            self.write(name, text)

    def put(self, name: str, text: str) -> None:
        """Puts a file into every data folder."""
        for shard in range(self.shards):
            self.place.put(name, text, shard)

    def shard_of(self, user: str) -> int:
        """Where a user is."""
        return int.from_bytes(hashlib.sha256(user.encode()).digest()[:8], "big") % self.shards

    def repeat(self, now: int, words: tuple[str, ...], given: str, code: int) -> None:
        """Runs a command that ended with `code` at the first installation; only where that was refused may it be."""
        if words[:2] in FOLDERS_OWN:
            return
        # A plan is refused where its ledger went on: the part of a shard that did not go on would be carried out, and
        # what has been given once is kept or waived otherwise than what was never given.
        if "--apply" in words and code:
            return
        # Where nothing is to be planned no file is written.
        if "--apply" in words and not (self.folder / words[words.index("--apply") + 1]).exists():
            return
        answer = ask(self, now, *words, given=given)
        if answer.code > 1 and code <= 1:
            raise Failed(f"exit {answer.code} of {words[0]} on shards", f"{answer.command} ended with {code} at one ledger: {answer.said}")

    def import_all(self, now: int) -> None:
        """Divides the ledger of the first installation among the shards; plans that were made for it are none here."""
        for plan in self.folder.glob("plan*.json"):
            plan.unlink()
        backup = str(self.folder.parent / "backup")
        pick = random.Random(now)
        Installation.run(self.first, "ledger", "backup", backup, "--now", show(now))
        words = ("ledger", "import", backup, "--inbox-complete", "--now", show(now))
        while pick.random() < 0.6:
            self.kill(*words, after=pick.uniform(0, 0.1 + 0.25 * self.shards))
        self.run(*words)
        ours = sum((closes(self.place.lines(shard)) for shard in range(self.shards)), Counter())
        theirs = closes(self.first.place.lines())
        for place in sorted(ours.keys() | theirs.keys()):
            if ours[place] != theirs[place]:
                raise Failed("import", f"closes of {place} have {ours[place]}, in one ledger {theirs[place]}")

    def compare(self, now: int, users: set[str]) -> None:
        """Every key, amount and balance."""
        ours: dict = {}
        for shard in range(self.shards):
            lines = self.place.lines(shard)
            strangers = {line["user"] for line in lines if "user" in line and self.shard_of(line["user"]) != shard}
            if strangers:
                raise Failed("shards", f"shard {shard} has lines of {sorted(strangers)}")
            ours |= summed(lines)
        theirs = summed(self.first.place.lines())
        for key in sorted(ours.keys() | theirs.keys()):
            if ours.get(key) != theirs.get(key):
                raise Failed("shards", f"{key} stands at {dict(ours.get(key, {}))}, in one ledger at {dict(theirs.get(key, {}))}")
        for user in sorted(users):
            told = [ask(one, now, "balance", user, "--format", "json").out for one in (self, self.first)]
            if told[0] != told[1]:
                raise Failed("shards", f"{user} has {told[0]}, in one ledger {told[1]}")
        audits = [ask(one, now, "audit").code for one in (self, self.first)]
        if audits[0] != audits[1]:
            raise Failed("shards", f"an audit ends with {audits[0]}, of one ledger with {audits[1]}")


def ask(one: Installation, now: int, *words: str, given: str = "") -> Answer:
    """Runs a command at one of the two, whatever it ends with."""
    return Installation.run(one, *words, "--now", show(now), given=given, codes=None)


def closes(lines: list[dict]) -> Counter:
    """What the closes of each zone's day come to: each figure by zone, day and name."""
    found: Counter = Counter()
    for line in lines:
        if line["type"] == "close":
            figures = {name: line[name] for name in ("users", "points", "exp")} | line["counts"]
            found.update({(line["zone"], line["day"], name): figure for name, figure in figures.items()})
    return found


def turning_point(life: dict) -> int:
    """The step in the middle of a life before which no plan has been made that is applied afterwards."""
    made: dict[str, int] = {}
    crossed: set[int] = set()
    for number, step in enumerate(life["steps"], 1):
        if step["do"] == "plan":
            made[step["name"]] = number
        if step["do"] == "apply" and step["name"] in made:
            crossed |= set(range(made[step["name"]] + 1, number + 1))
    free = [number for number in range(2, len(life["steps"]) + 1) if number not in crossed]
    return free[len(free) // 2] if free else 1


def summed(lines: list[dict]) -> dict[str, dict]:
    """What each key stands at; what plans let a user keep in one sum, since such a key names the plan."""
    found: dict[str, Counter] = defaultdict(Counter)
    for key, net in net_amounts(lines).items():
        found[re.sub("/waived/.*", "/waived", key)].update(net)
    return {key: trimmed(net) for key, net in found.items()}


def make_twin(first: LoggedInstallation, program: Path, socket: Path, shards: int) -> Twin:
    """A twin of an installation, in a database of its own."""
    return Twin(first, Database(program, socket, f"twin_{os.urandom(6).hex()}", shards), shards)
