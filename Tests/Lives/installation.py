"""An operator's installation: a folder with a configuration, and the program at hand.

It keeps a log of all that is done there, as lines of a shell script that does it again.
"""

import base64
import json
import os
import shlex
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from civil import show
from places import TIMEOUT, Database, Folder

SECRET = "the draws of a life"
TOKEN = "the token of a life"


class Failed(Exception):
    """A promise does not hold: which check found it, and what is wrong."""

    def __init__(self, check: str, text: str):
        super().__init__(f"{check}: {text}")
        self.check, self.text = check, text


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
            raise Failed("answer", f"{self.command} ended with {self.code} and no JSON: "
                                   f"{self.out[:300]}{self.err[:300]}") from None


class Installation:
    """One data folder with its configuration."""

    def __init__(self, program: Path, folder: Path, settings: dict, place: Folder | Database):
        self.program, self.folder, self.settings, self.place = program, folder, settings | {"data": place.address}, place
        self.commands = 0
        # What is told of all that is done here.
        self.twin = None
        self.log: list[str] = []
        self.environment = {"PATH": os.environ.get("PATH", ""), "REWARDS_DRAW_SECRET": SECRET, "CHEER_API_TOKEN": TOKEN}
        self.environment |= {n: os.environ[n] for n in ("TZDIR", "LD_LIBRARY_PATH", "PLANTED") if n in os.environ}
        (folder / "jobs").mkdir(parents=True)
        self.configure()

    def put(self, name: str, text: str) -> None:
        """Puts a file into the data folder, as another program would."""
        self.log.append(self.place.put(name, text))
        if self.twin:
            self.twin.put(name, text)

    def configure(self, **changes: object) -> None:
        """Writes the configuration, with these keys changed."""
        self.settings |= changes
        self.write("rewards.json", json.dumps(self.settings))
        if self.twin:
            self.twin.configure(self.settings)

    def use_zones(self, folder: Path | None) -> None:
        """Lets the program read its zones from a folder, or from the system's own."""
        if not folder:
            del self.environment["TZDIR"]
            self.log.append("unset TZDIR")
            return
        self.environment["TZDIR"] = str(folder)
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = file.relative_to(self.folder)
            text = base64.encodebytes(file.read_bytes()).decode()
            self.log.append(f"mkdir -p {name.parent}; base64 -d > {name} <<'END'\n{text}END")
        self.log.append(f"export TZDIR=$PWD/{folder.name}")

    def write(self, name: str, text: str) -> None:
        """Writes a file at the installation."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if self.twin:
            self.twin.write(name, text)
        ending = "" if text.endswith("\n") else "\n"
        self.log.append(f"mkdir -p {shlex.quote(str(Path(name).parent))}; cat > {name} <<'END'\n{text}{ending}END")

    def run(self, now: int, *words: str, given: str = "", codes: tuple[int, ...] = (0,),
            kill_after: float | None = None) -> Answer:
        """Runs a command; another exit code than these is a failure.

        With `kill_after` it is first started, killed after so many seconds, and then run again.
        """
        arguments = [str(self.program), *words, "--now", show(now)]
        command = shlex.join(["rewards", *arguments[1:]])
        self.note(arguments, given, kill_after)
        if kill_after is not None:
            self.kill(arguments, given, kill_after)
        self.commands += 1
        try:
            done = subprocess.run(arguments, cwd=self.folder, env=self.environment, input=given, timeout=TIMEOUT,
                                  capture_output=True, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            raise Failed(f"hang of {words[0]}", f"{command} did not end within {TIMEOUT} s") from None
        if done.returncode not in codes:
            raise Failed(f"exit {done.returncode} of {words[0]}", f"{command} ended with {done.returncode}, not {' or '.join(map(str, codes))}: "
                                 f"{done.stdout[-1000:]}{done.stderr[-1000:]}")
        if self.twin:
            self.twin.run(now, words, given, done.returncode)
        return Answer(command, done.returncode, done.stdout, done.stderr)

    def kill(self, arguments: list[str], given: str, after: float) -> None:
        """Starts a command and kills it."""
        with subprocess.Popen(arguments, cwd=self.folder, env=self.environment, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True) as process:
            try:
                process.stdin.write(given)
                process.stdin.close()
            except BrokenPipeError:
                pass
            time.sleep(after)
            process.kill()

    def note(self, arguments: list[str], given: str, kill_after: float | None) -> None:
        """Puts a command into the log."""
        command = "$R " + shlex.join(arguments[1:])
        here = f" <<'END'\n{given.rstrip()}\nEND" if given else ""
        if kill_after is not None:
            self.log.append(f"timeout -s KILL {kill_after:.4f} {command}{here}")
        self.log.append(command + here)
