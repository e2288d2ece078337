"""An operator's installation: a folder with configuration, roster and rules, and the program at hand.

Each command is printed as it would be typed, with its answer; what matters about the answer is checked by the story.
"""

import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from api import TOKEN
from ledger import show

SECRET = "the draws of the story"
LINES_SHOWN = 12


class Failed(Exception):
    """The story does not hold; the text says where and why."""


@dataclass(frozen=True)
class Answer:
    """How a command ended and what it said."""

    command: str
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict:
        """Its JSON answer."""
        try:
            return json.loads(self.out)
        except ValueError:
            raise Failed(f"{self.command}: ended with {self.code} and no JSON: "
                         f"{self.out[:500]}{self.err[:500]}") from None


class Installation:
    """One data folder with its configuration."""

    def __init__(self, program: Path, folder: Path, settings: dict):
        self.program, self.folder = program, folder
        self.settings = settings
        self.commands = 0
        self.slowest = (0.0, "")
        (folder / "jobs").mkdir(parents=True)
        self.configure()

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.folder / "data"

    def configure(self, **changes: object) -> None:
        """Writes the configuration, with these keys changed."""
        self.settings.update(changes)
        self.write("rewards.json", json.dumps(self.settings, indent=2))

    def copy(self, folder: Path) -> "Installation":
        """The same installation once more, in a folder of its own."""
        installation = Installation(self.program, folder, dict(self.settings))
        for path in self.folder.iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        shutil.copytree(self.data, installation.data, ignore=shutil.ignore_patterns("control.sock"))
        return installation

    def write(self, name: str, text: str) -> str:
        """Writes a file at the installation and returns its name."""
        (self.folder / name).write_text(text)
        return name

    def run(self, now: datetime, *words: str, codes: tuple[int, ...] = (0,)) -> Answer:
        """Runs a command quietly; another exit code than these fails the story."""
        arguments = [*words, "--now", show(now)]
        command = "rewards " + " ".join(f'"{word}"' if " " in word else word for word in arguments)
        environment = {"PATH": os.environ.get("PATH", ""), "REWARDS_DRAW_SECRET": SECRET, "CHEER_API_TOKEN": TOKEN}
        environment |= {name: os.environ[name] for name in ("TZDIR", "LD_LIBRARY_PATH") if name in os.environ}
        began = time.monotonic()
        try:
            done = subprocess.run([str(self.program), *arguments], cwd=self.folder, env=environment, timeout=60,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            raise Failed(f"{command}: did not end within 60 s") from None
        self.slowest = max(self.slowest, (time.monotonic() - began, command))
        self.commands += 1
        if done.returncode not in codes:
            raise Failed(f"{command}: ended with {done.returncode}, not {' or '.join(map(str, codes))}\n"
                         f"{done.stdout[-3000:]}{done.stderr[-2000:]}")
        return Answer(command, done.returncode, done.stdout, done.stderr)

    def tell(self, now: datetime, *words: str, codes: tuple[int, ...] = (0,), lines: int = LINES_SHOWN) -> Answer:
        """Runs a command and prints it with the first lines of its answer."""
        answer = self.run(now, *words, codes=codes)
        print(f"$ {answer.command}")
        said = (answer.out + answer.err).splitlines()
        for line in said[:lines]:
            print(f"  {line}")
        if len(said) > lines:
            print(f"  … {len(said) - lines} more lines")
        if answer.code:
            print(f"  (exit code {answer.code})")
        return answer

    def routine(self, now: datetime, *words: str, codes: tuple[int, ...] = (0, 1)) -> dict:
        """Runs one of the many commands of every day and prints it on one line; returns its JSON answer."""
        answer = self.run(now, *words, "--format", "json", codes=codes)
        document = answer.document
        told = [f"closed {day['zone']} {day['day']}" for day in document.get("closed", [])]
        told += [f"{document[name]} {name}" for name in ("grants", "points", "unknown") if document.get(name)]
        told += [f"{sum(document['failedLooks'].values())} looks failed"] if document.get("failedLooks") else []
        print(f"$ {answer.command.replace(' --format json', '')}  # {', '.join(told) or 'nothing new'}")
        return document
