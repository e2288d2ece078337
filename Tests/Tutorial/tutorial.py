#!/usr/bin/env python3
"""Runs the tutorial as it is printed: each command of its console blocks, in one shell and a fresh folder.

    tutorial.py REWARDS-PROGRAM [--update]

Compares what each command prints with the page, except for what changes from run to run: see MASKS. With --update, writes it into the
page. Says how many commands ran; ends with 1 and the differences when something differs.
"""

import difflib
import os
import pwd
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Shared.program import Failed, arguments
from Shared.waiting import free_port

PAGE = Path(__file__).resolve().parents[2] / "Sources/rewards/rewards.docc/Tutorial.md"
HOME = "/home/you"
ACCOUNT = pwd.getpwuid(os.getuid()).pw_name
PORTS = ("8603", "8604")
COMMAND_SECONDS = 300

# What differs from run to run, everywhere.
MASKS = [
    (r"\b[0-9a-f]{64}\b", "HASH"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UUID"),
    (r"\b[0-9a-f]{12}\b", "ID"),
    (r"\b20[0-9]{2}[a-z]\b", "TZDATA"),
]
# What differs besides where a block has the word "live": whatever happens at the present time.
LIVE_MASKS = [
    (r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z", "INSTANT"),
    (r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b", "DAY"),
    (r"\bversion=\S+", "version=VERSION"),
    (r'tzdataAge="[^"]*"', "tzdataAge=AGE"),
    (r"\bseconds=[0-9]+", "seconds=N"),
    (r'UUID/[0-9]+', "UUID/N"),
]


@dataclass
class Block:
    """A console block: where it stands, and each command with what the page prints below it."""

    first: int
    last: int
    is_live: bool
    commands: list[tuple[str, list[str]]] = field(default_factory=list)


def blocks(lines: list[str]) -> list[Block]:
    """The page's console blocks, in order."""
    found: list[Block] = []
    inside: Block | None = None
    number = 0
    while number < len(lines):
        line = lines[number]
        if inside is None and line.split()[:1] == ["```console"]:
            inside = Block(number + 1, number + 1, "live" in line.split())
        elif inside is not None and line == "```":
            inside.last = number
            found.append(inside)
            inside = None
        elif inside is not None and line.startswith("$ "):
            command = [line[2:]]
            # A here-document ends with its word, a loop with "done".
            end = re.search(r"<<'(\w+)'", line)
            closing = end.group(1) if end else "done" if re.match(r"for .*; do$", command[0]) else None
            while closing and not re.match(rf"{closing}\b", command[-1]):
                number += 1
                command.append(lines[number])
            inside.commands.append(("\n".join(command), []))
        elif inside is not None:
            if not inside.commands:
                raise Failed(f"line {number + 1}", "output before the first command")
            inside.commands[-1][1].append(line)
        number += 1
    return found


def masked(line: str, is_live: bool) -> str:
    """A line without what differs from run to run."""
    for pattern, name in MASKS + (LIVE_MASKS if is_live else []):
        line = re.sub(pattern, name, line)
    # A column is as wide as what it holds; one of the rows of what people gave holds the account's name.
    is_loose = is_live or re.match(r" {12}(MONTH|20[0-9]{2}-[0-9]{2})  ", line)
    return re.sub(r" +", " ", line).rstrip() if is_loose else line.rstrip()


class Shell:
    """One shell, in which a person types the commands of the page."""

    def __init__(self, program: Path, folder: Path):
        self.folder = folder
        self.ports = dict(zip(PORTS, (str(free_port()) for _ in PORTS)))
        programs = folder / "bin"
        programs.mkdir()
        (programs / "rewards").symlink_to(program)
        self.home = folder / "home"
        self.home.mkdir()
        environment = {
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LC_ALL": "C.UTF-8", "TERM": "dumb",
        } | {name: value for name, value in os.environ.items() if name in ("TZDIR", "LD_LIBRARY_PATH")}
        self.process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], cwd=self.home, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, command: str) -> list[str]:
        """Types a command; returns the lines that it prints, with the page's folder and ports in place of this run's."""
        mark = f"end-{uuid.uuid4()}"
        typed = f'{command}\nstatus=$?; echo; echo {mark}; (exit $status)\n'
        self.process.stdin.write(typed.encode())
        self.process.stdin.flush()
        said = b""
        end = time.monotonic() + COMMAND_SECONDS
        while mark.encode() not in said:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            part = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not part:
                raise Failed(command, f"has not ended after {COMMAND_SECONDS} s; so far: {said.decode()[-2000:]}")
            said += part
        text = said.decode().split(mark)[0].removesuffix("\n").removesuffix("\n")
        self.move_ports()
        text = text.replace(str(self.home), HOME).replace(f"({ACCOUNT})", "(you)")
        text = re.sub(rf"(?m)^( {{12}}20[0-9]{{2}}-[0-9]{{2}}  .*?  ){re.escape(ACCOUNT)}(?=  )",
                      lambda row: row[1] + "you".ljust(len(ACCOUNT)), text)
        for port, own in self.ports.items():
            text = re.sub(rf"\b{own}\b", port, text)
        return text.split("\n") if text else []

    def move_ports(self) -> None:
        """Lets the configurations name ports that are free on this machine."""
        for path in self.home.glob("*/*.json"):
            text = path.read_text()
            moved = text
            for port, own in self.ports.items():
                moved = moved.replace(f"127.0.0.1:{port}", f"127.0.0.1:{own}")
            if moved != text:
                path.write_text(moved)

    def close(self) -> None:
        """Ends the shell and what it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--update", action="store_true", help="write the output into the page")
    options = parser.parse_args()
    lines = PAGE.read_text().split("\n")
    wrong = 0
    ran = 0
    with tempfile.TemporaryDirectory(prefix="tutorial-") as folder:
        shell = Shell(options.program, Path(folder))
        try:
            printed: list[tuple[Block, list[str]]] = []
            for block in blocks(lines):
                fresh: list[str] = []
                for command, expected in block.commands:
                    said = shell.run(command)
                    ran += 1
                    fresh += ["$ " + command, *said]
                    difference = list(difflib.unified_diff(
                        [masked(line, block.is_live) for line in expected],
                        [masked(line, block.is_live) for line in said], "the page", "the program", lineterm="", n=1))
                    if difference and not options.update:
                        wrong += 1
                        print("\n".join([f"$ {command}", *difference, ""]))
                printed.append((block, fresh))
        finally:
            shell.close()
    if options.update:
        for block, fresh in reversed(printed):
            lines[block.first:block.last] = fresh
        PAGE.write_text("\n".join(lines))
    print(f"{ran} commands of the tutorial ran, {wrong} of them print something else than the page")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print(failure)
        sys.exit(1)
