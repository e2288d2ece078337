"""An operator's installation: a folder with a configuration, and the program that runs there."""

import json
import os
import shlex
import subprocess
import time
from pathlib import Path

from Shared.places import Database, Folder
from Shared.program import Answer, Failed

SECRET = "the draws of a test, always the same"
TOKEN = "the token of a test"
# What a run inherits: where programs, libraries and zones lie, and the number of a planted fault.
INHERITED = ("PATH", "LD_LIBRARY_PATH", "TZDIR", "PLANTED")
# No command takes longer, in seconds: one that is still there then hangs.
TIMEOUT = 120


class Installation:
    """A folder with a configuration; the data lies in its folder `data` unless it has another place."""

    def __init__(self, program: Path, folder: Path, settings: dict, place: Folder | Database | None = None):
        self.program, self.folder, self.place = program, folder, place or Folder(folder)
        self.settings = {"data": self.place.address, "jobs": "./jobs"} | settings
        self.environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        self.environment |= {"REWARDS_DRAW_SECRET": SECRET, "CHEER_API_TOKEN": TOKEN}
        (folder / "jobs").mkdir(parents=True, exist_ok=True)
        self.configure()

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.folder / "data"

    @property
    def ledger(self) -> Path:
        """The folder of the ledger's segments."""
        return self.data / "ledger"

    @property
    def state(self) -> Path:
        """The folder of caches."""
        return self.data / "state"

    @property
    def incoming(self) -> Path:
        """Where other programs put files for the inbox."""
        return self.data / "inbox" / "incoming"

    def configure(self, **changes: object) -> None:
        """Writes the configuration, with these keys changed."""
        self.settings |= changes
        self.write("rewards.json", json.dumps(self.settings, indent=1))

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        """Writes a file at the installation and returns its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def deliver(self, name: str, text: str) -> None:
        """Puts a file into the inbox as another program does: under another name first."""
        hidden = self.incoming / f".{name}"
        hidden.write_text(text)
        hidden.rename(self.incoming / name)

    def waiting(self) -> list[Path]:
        """The files that wait in the inbox."""
        return sorted(path for path in self.incoming.glob("*") if path.name[0] != "." and path.suffix != ".tmp")

    def run(self, *words: str, given: str = "", codes: tuple[int, ...] | None = (0,), seconds: float = TIMEOUT,
            machine: tuple[str, ...] = (), **variables: str) -> Answer:
        """Runs a command to its end; an exit code other than `codes` is a failure, unless these are `None`.

        `machine` are words before the command line, which put it on another machine or under a tracer.
        """
        command = shlex.join(["rewards", *words])
        try:
            done = subprocess.run([*machine, self.program, *words], cwd=self.folder, env=self.environment | variables, input=given,
                                  timeout=seconds, capture_output=True, text=True, errors="replace", check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"hang of {words[0]}", f"{command} did not end within {seconds} s at {self.folder}") from None
        answer = Answer(command, done.returncode, done.stdout, done.stderr)
        if codes is not None and answer.code not in codes:
            raise Failed(f"exit {answer.code} of {words[0]}",
                         f"{command} ended with {answer.code}, not {' or '.join(map(str, codes))}: {answer.said}")
        return answer

    def start(self, *words: str, given: str = "", machine: tuple[str, ...] = ()) -> subprocess.Popen:
        """Starts a command, and returns it while it runs."""
        process = subprocess.Popen([*machine, self.program, *words], cwd=self.folder, env=self.environment, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.stdin.write(given)
            process.stdin.close()
        except BrokenPipeError:
            pass
        process.stdin = None
        return process

    def kill(self, *words: str, after: float, given: str = "") -> None:
        """Starts a command and kills it after so many seconds."""
        process = self.start(*words, given=given)
        time.sleep(after)
        process.kill()
        process.communicate()
