"""An installation that keeps a log of all that is done there, as lines of a shell script that does it again."""

import base64
import shlex
from pathlib import Path

from Shared.civil import show
from Shared.installation import Installation
from Shared.places import Database, Folder
from Shared.program import Answer


class LoggedInstallation(Installation):
    """One data folder with its configuration; commands are told what time it is."""

    def __init__(self, program: Path, folder: Path, settings: dict, place: Folder | Database | None = None):
        self.commands = 0
        # What is told of all that is done here.
        self.twin = None
        self.log: list[str] = []
        super().__init__(program, folder, settings, place)

    def put(self, name: str, text: str) -> None:
        """Puts a file into the data folder, as another program would."""
        self.log.append(self.place.put(name, text))
        if self.twin:
            self.twin.put(name, text)

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

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        """Writes a file at the installation."""
        if self.twin:
            self.twin.take_file(name, text, self.settings)
        ending = "" if text.endswith("\n") else "\n"
        self.log.append(f"mkdir -p {shlex.quote(str(Path(name).parent))}; cat > {name} <<'END'\n{text}{ending}END")
        return super().write(name, text, mode)

    def run(self, now: int, *words: str, given: str = "", kill_after: float | None = None, **options: object) -> Answer:
        """Runs a command at an instant. With `kill_after` it is first started, killed after so many seconds, and then run again."""
        command = (*words, "--now", show(now))
        here = f" <<'END'\n{given.rstrip()}\nEND" if given else ""
        said = f"$R {shlex.join(command)}{here}"
        if kill_after is not None:
            self.log.append(f"timeout -s KILL {kill_after:.4f} {said}")
            self.kill(*command, after=kill_after, given=given)
        self.log.append(said)
        self.commands += 1
        answer = super().run(*command, given=given, **options)
        if self.twin:
            self.twin.repeat(now, words, given, answer.code)
        return answer
