#!/usr/bin/env python3
"""What the program shows on a terminal: pager, colours, marks and width; and what zsh and fish offer when it is asked.

    terminal.py REWARDS-PROGRAM

Needs Debian's less, zsh and fish. Ends with 1 and a list when something is wrong.
"""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

LEDGER_DAY = "2026-11-20T12:00:00Z"


def on_terminal(words: list[str], folder: Path, variables: dict[str, str], keys: bytes = b"", columns: int = 80, rows: int = 24) -> tuple[int, str]:
    """How a program ends on a terminal of a size, and what it shows; `keys` are pressed when it has been silent for a moment."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(words[0], words, {"PATH": os.environ["PATH"], "TERM": "xterm", **variables})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    shown, until = b"", time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 1)[0]:
            if keys:
                os.write(terminal, keys)
                keys = b""
            continue
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode().replace("\r\n", "\n")


class Checks:
    """What was checked, and what of it was wrong."""

    def __init__(self, program: str, folder: Path):
        self.program, self.folder = program, folder
        self.wrong: list[str] = []
        self.count = 0

    def expect(self, what: str, holds: bool, shown: str = "") -> None:
        """Notes a check."""
        self.count += 1
        if not holds:
            self.wrong.append(f"{what}: {shown[-400:]!r}")

    def run(self, *words: str, keys: bytes = b"", columns: int = 80, rows: int = 24, **variables: str) -> tuple[int, str]:
        """Runs the program on a terminal."""
        return on_terminal([self.program, *words], self.folder, variables, keys, columns, rows)


def pager(checks: Checks) -> None:
    """Long output goes through a pager, on a terminal alone, and the exit code stays the command's."""
    paged = {"PAGER": "sed s/^/P:/"}
    code, shown = checks.run("help", **paged)
    checks.expect("help is paged", code == 0 and "P:Every day:" in shown, shown)
    code, shown = checks.run("--no-pager", "help", **paged)
    checks.expect("--no-pager", code == 0 and "Every day:" in shown and "P:" not in shown, shown)
    code, shown = checks.run("help", REWARDS_PAGER="cat", **paged)
    checks.expect("REWARDS_PAGER=cat", code == 0 and "P:" not in shown, shown)
    code, shown = checks.run("help", PAGER="no-such-program")
    checks.expect("a pager that is not there", code == 0 and "Every day:" in shown, shown)
    code, shown = checks.run("help", PAGER="false")
    checks.expect("a pager that reads nothing", code == 0 and "Every day:" in shown, shown)
    code, shown = checks.run("help", PAGER='sed "s/^/P: /"')
    checks.expect("a pager's words in quotes", code == 0 and "P: Every day:" in shown, shown)
    code, shown = checks.run("help", PAGER='sed "s/^/P: /')
    checks.expect("a quote left open", code == 0 and "Every day:" in shown, shown)
    code, shown = checks.run("help", PAGER="env; cat", REWARDS_DRAW_SECRET="hush", SUDO_UID="1000")
    checks.expect("a pager gets no secret, and no shell behind sudo", "hush" not in shown and "LESSSECURE=1" in shown and "Every day:" in shown, shown)
    code, shown = checks.run("version", **paged)
    checks.expect("short output is not paged", code == 0 and "P:" not in shown, shown)
    code, shown = checks.run("approvals", "--config", "none.json", **paged)
    checks.expect("errors are not paged", code == 66 and "P:" not in shown, shown)
    code, shown = checks.run("users", "list", "nobody", **paged)
    checks.expect("the exit code is the command's", code == 1 and "P:" in shown, shown)
    code, shown = checks.run("schema", "configuration", PAGER="head -n 1")
    checks.expect("a pager that ends early", code == 0 and "rewards:" not in shown, shown)
    code, shown = checks.run("help", keys=b"q")
    checks.expect("less waits for its reader", code == 0 and "Every day:" in shown and "Exit codes" not in shown, shown)
    code, shown = checks.run("help", rows=300)
    checks.expect("less ends with what fits one screen", code == 0 and "Exit codes" in shown, shown)
    piped = subprocess.run([checks.program, "help"], cwd=checks.folder, env={"TERM": "xterm", **paged}, capture_output=True, text=True)
    checks.expect("a pipe has no pager", piped.returncode == 0 and "P:" not in piped.stdout, piped.stdout)


def tables(checks: Checks) -> None:
    """States are marked and coloured, and lines fit the terminal without a cut; elsewhere everything is plain."""
    code, shown = checks.run("jobs", "list", REWARDS_PAGER="cat", columns=125)
    checks.expect("a state is marked and coloured", code == 0 and "\x1b[33m! paused\x1b[0m" in shown, shown)
    plain = shown.replace("\x1b[33m", "").replace("\x1b[0m", "")
    checks.expect("lines fit", all(len(line) <= 125 for line in plain.splitlines()) and "--prove" in plain, shown)
    code, shown = checks.run("jobs", "list", REWARDS_PAGER="cat", NO_COLOR="1")
    checks.expect("dates stay whole", all(len(line) <= 80 for line in shown.splitlines()) and "2026-11-20T15:30:00Z" in shown, shown)
    code, shown = checks.run("jobs", "list", REWARDS_PAGER="cat", NO_COLOR="1")
    checks.expect("NO_COLOR", "! paused" in shown and "\x1b" not in shown, shown)
    code, shown = checks.run("jobs", "list", REWARDS_PAGER="cat", columns=400)
    checks.expect("a wide terminal needs one line for a row", len(shown.splitlines()) == 2, shown)
    piped = subprocess.run([checks.program, "jobs", "list"], cwd=checks.folder, env={"TERM": "xterm"}, capture_output=True, text=True).stdout
    checks.expect("a pipe gets everything plain", len(piped.splitlines()) == 2 and "\x1b" not in piped and "!" not in piped and "paused" in piped, piped)


def shells(checks: Checks) -> None:
    """zsh and fish offer jobs, sinks, users and zones."""
    bin_folder = checks.folder / "bin"
    bin_folder.mkdir()
    (bin_folder / "rewards").symlink_to(Path(checks.program).resolve())
    path = f"{bin_folder}:{os.environ['PATH']}"
    offers = [("jobs pause nigh", "nightly"), ("relay pause not", "notify"), ("user 47", "4711"), ("reconcile --zone Asia/Toky", "Asia/Tokyo")]
    for shell in ("fish", "zsh"):
        script = checks.folder / ("_rewards" if shell == "zsh" else "rewards.fish")
        script.write_text(subprocess.run([checks.program, "completion", shell], check=True, capture_output=True, text=True).stdout)
    for line, value in offers:
        home = {"HOME": str(checks.folder), "PATH": path}
        fish = subprocess.run(["fish", "--no-config", "-c", f"source rewards.fish; complete --do-complete 'rewards {line}'"],
                              cwd=checks.folder, env=home, capture_output=True, text=True)
        checks.expect(f"fish: {line}", value in fish.stdout.split(), fish.stdout + fish.stderr)
        (checks.folder / ".zshrc").write_text(f"fpath=({checks.folder} $fpath); autoload -Uz compinit; compinit -u -D; PS1=\n")
        # The line is completed, and then printed instead of run.
        keys = f"rewards {line}\t\x01print -r -- GOT \x05\nexit\n".encode()
        _, shown = on_terminal(["zsh", "-i"], checks.folder, {**home, "ZDOTDIR": str(checks.folder)}, keys)
        checks.expect(f"zsh: {line}", f"GOT rewards {line.rsplit(' ', 1)[0]} {value}" in shown.replace("\x1b[K", ""), shown)


def prepare(program: str, folder: Path) -> None:
    """Makes an installation with users, a sink, and a paused job."""
    (folder / "jobs").mkdir()
    (folder / "rewards.json").write_text(json.dumps({"drawSecret": {"file": "./secret"}, "relay": {"notify": {"kind": "file", "path": "./events.jsonl"}}}))
    (folder / "secret").write_text("0123456789abcdef")
    (folder / "secret").chmod(0o600)
    (folder / "users.jsonl").write_text('{"user":4711,"timezone":"Asia/Tokyo"}\n')
    (folder / "jobs" / "nightly.json").write_text(json.dumps(
        {"name": "nightly", "schedule": "30 0 * * *", "timeZone": "user", "do": ["reconcile", "--day", "yesterday", "--prove"]}))
    for words in (["users", "import", "users.jsonl"], ["jobs", "pause", "nightly", "--reason", "a test"]):
        subprocess.run([program, *words, "--now", LEDGER_DAY], cwd=folder, check=True, capture_output=True)


def main() -> int:
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="rewards-terminal-") as name:
        checks = Checks(program, Path(name))
        prepare(program, checks.folder)
        pager(checks)
        tables(checks)
        shells(checks)
    print(f"{checks.count} checks on a terminal: {len(checks.wrong)} objections")
    for line in checks.wrong:
        print(f"  {line}")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
