"""A second installation that is told all that a first one is told, with its users divided among the shards of a database.

What users have must not depend on where their ledgers lie.
"""

import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import time
from collections import Counter, defaultdict
from pathlib import Path

from civil import show
from installation import Failed, Installation
from ledger import net_amounts
from places import Database, TIMEOUT

# About files of a folder.
FOLDERS_OWN = (("ledger", "compact"), ("ledger", "verify"))


class Twin:
    """The shards beside an installation."""

    def __init__(self, first: Installation, place: Database, shards: int):
        self.first, self.place, self.shards = first, place, shards
        self.folder = first.folder.parent / "twin"
        shutil.copytree(first.folder, self.folder, ignore=shutil.ignore_patterns("data"))
        self.configure(first.settings)

    def configure(self, settings: dict) -> None:
        """Writes the configuration of the first with another place for the data."""
        self.write("rewards.json", json.dumps(settings | {"data": self.place.address}))

    def write(self, name: str, text: str) -> None:
        """Writes a file at the installation."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def put(self, name: str, text: str) -> None:
        """Puts a file into every data folder."""
        for shard in range(self.shards):
            self.place.put(name, text, shard)

    def shard_of(self, user: str) -> int:
        """Where a user is."""
        return int.from_bytes(hashlib.sha256(user.encode()).digest()[:8], "big") % self.shards

    def run(self, now: int, words: tuple[str, ...], given: str, code: int) -> None:
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
        done = self.ask(self.folder, now, *words, given=given)
        if done.returncode > 1 and code <= 1:
            raise Failed(f"exit {done.returncode} of {words[0]} on shards", f"{' '.join(words)} ended with {code} at one ledger: "
                                                                            f"{done.stdout[-800:]}{done.stderr[-800:]}")

    def import_all(self, now: int) -> None:
        """Divides the ledger of the first installation among the shards; plans that were made for it are none here."""
        for plan in self.folder.glob("plan*.json"):
            plan.unlink()
        backup = str(self.folder.parent / "backup")
        pick = random.Random(now)
        for folder, words in ((self.first.folder, ("backup", backup)), (self.folder, ("import", backup, "--inbox-complete"))):
            while words[0] == "import" and pick.random() < 0.6:
                with subprocess.Popen(self.command(now, "ledger", *words), cwd=folder, env=self.first.environment,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                    time.sleep(pick.uniform(0, 0.1 + 0.25 * self.shards))
                    process.kill()
            done = self.ask(folder, now, "ledger", *words)
            if done.returncode:
                raise Failed("import", f"ledger {words[0]} ended with {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}")
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
        both = (self.folder, self.first.folder)
        for user in sorted(users):
            told = [self.ask(folder, now, "balance", user, "--format", "json").stdout for folder in both]
            if told[0] != told[1]:
                raise Failed("shards", f"{user} has {told[0]}, in one ledger {told[1]}")
        audits = [self.ask(folder, now, "audit").returncode for folder in both]
        if audits[0] != audits[1]:
            raise Failed("shards", f"an audit ends with {audits[0]}, of one ledger with {audits[1]}")

    def command(self, now: int, *words: str) -> list[str]:
        """A command line."""
        return [str(self.first.program), *words, "--now", show(now)]

    def ask(self, folder: Path, now: int, *words: str, given: str = "") -> subprocess.CompletedProcess:
        """Runs a command at one of the two."""
        return subprocess.run(self.command(now, *words), cwd=folder, env=self.first.environment, input=given, timeout=TIMEOUT,
                              capture_output=True, text=True, errors="replace", check=False)


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
    return {key: {unit: n for unit, n in net.items() if n} for key, net in found.items()}


def make_twin(first: Installation, program: Path, socket: Path, shards: int) -> Twin:
    """A twin of an installation, in a database of its own."""
    return Twin(first, Database(program, socket, f"twin_{os.urandom(6).hex()}", shards), shards)
