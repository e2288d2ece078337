#!/usr/bin/env python3
"""Cuts the line between the program and its database at COMMIT, and kills the program: what was acknowledged must be there, once.

usage: cuts.py PROGRAM [--cuts N] [--kills N] [--pool] [--seed S]

A proxy stands between them. At a COMMIT it drops the line before the server sees it, after the server has answered, or holds it
back and delivers it when the client has long given up; with --pool a pgbouncer stands behind it, in transaction pooling. Each gift
has an id and is repeated until it is acknowledged; then balances, ledger and audit must tell of each exactly once.
"""

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "Lives"))

import gifts
from places import Database, Pool, Server

COMMIT = b"COMMIT\0"
WAYS = ("before", "after", "late")


class Proxy:
    """A socket that leads to the server's; `plan` says at which COMMIT from now the line is cut, and how."""

    def __init__(self, folder: Path, server: Path):
        self.server = server / ".s.PGSQL.5432"
        self.plan: tuple[str, int] | None = None
        self.cuts: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / ".s.PGSQL.5432"))
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        """Leads every client to the server."""
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self.server))
            except OSError:
                client.close()
                continue
            answered, silent = threading.Event(), threading.Event()
            threading.Thread(target=self.back, args=(server, client, answered, silent), daemon=True).start()
            threading.Thread(target=self.forth, args=(client, server, answered, silent), daemon=True).start()

    def due(self) -> str | None:
        """How the COMMIT at hand is to be cut, if it is."""
        with self.lock:
            if not self.plan:
                return None
            way, left = self.plan
            self.plan = (way, left - 1) if left > 1 else None
            if left > 1:
                return None
            self.cuts[way] += 1
            return way

    def forth(self, client: socket.socket, server: socket.socket, answered: threading.Event, silent: threading.Event) -> None:
        """What the client says."""
        try:
            while data := client.recv(1 << 20):
                way = self.due() if COMMIT in data else None
                if way == "before":
                    break
                if way == "late":
                    client.shutdown(socket.SHUT_RDWR)
                    time.sleep(random.choice((0.01, 0.2, 1.5)))
                answered.clear()
                if way:
                    silent.set()
                server.sendall(data)
                if way:
                    answered.wait(2)
                    break
        except OSError:
            pass
        for end in (client, server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def back(self, server: socket.socket, client: socket.socket, answered: threading.Event, silent: threading.Event) -> None:
        """What the server says; of a line that is cut, to nobody."""
        try:
            while data := server.recv(1 << 20):
                answered.set()
                if not silent.is_set():
                    client.sendall(data)
        except OSError:
            pass
        answered.set()
        for end in (client, server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def main() -> int:
    """Gives, cuts and kills, and compares."""
    options = parse_options()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="rewards-cut-") as folder:
        os.chmod(folder, 0o755)
        home = Path(folder)
        for name in ("pg", "pool", "near"):
            (home / name).mkdir()
        server = Server(home / "pg")
        pool = Pool(home / "pool", server.folder) if options.pool else None
        try:
            return check(options, draw, home, server, pool)
        finally:
            if pool:
                pool.close()
            server.close()


def check(options: argparse.Namespace, draw: random.Random, folder: Path, server: Server, pool: Pool | None) -> int:
    """The gifts, one after another, and what is there in the end."""
    near = folder / "near"
    Database(options.program, server.folder, "cuts")
    proxy = Proxy(near, pool.folder if pool else server.folder)
    address = f"postgres://rewards@{quote(str(near), safe='')}/cuts"
    environment = os.environ | gifts.SECRET

    def run(*words: str, given: str = "") -> subprocess.CompletedProcess:
        return subprocess.run([options.program, *words, "--data", address], env=environment, cwd=folder, input=given,
                              capture_output=True, text=True, check=False, timeout=120)

    users = [f"u{number}" for number in range(5)]
    run("users", "import", "-", given="".join(json.dumps({"user": user, "timezone": "Asia/Tokyo"}) + "\n" for user in users))
    expected: Counter[str] = Counter()
    tries, began = Counter(), time.monotonic()
    for number in range(options.cuts + options.kills):
        user, gift = draw.choice(users), f"gift-{number}"
        words = ("grant", user, "--points", "1", "--reason", gift, "--id", gift)
        if number < options.cuts:
            with proxy.lock:
                proxy.plan = (WAYS[number % len(WAYS)], draw.choice((1, 1, 1, 2)))
        else:
            with subprocess.Popen([options.program, *words, "--data", address], env=environment, cwd=folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(draw.uniform(0, 0.04))
                process.kill()
        for attempt in range(20):
            done = run(*words)
            tries[attempt] += done.returncode == 0
            if done.returncode == 0:
                break
        else:
            print(f"{gift} was never acknowledged: {done.stdout}{done.stderr}")
            return 1
        expected[user] += 1
    proxy.plan = None
    faults = gifts.faults(run, users, expected)
    print(f"{sum(expected.values())} gifts, {dict(proxy.cuts)} cuts at COMMIT, {options.kills} kills, "
          f"acknowledged at the try {dict(sorted((n + 1, c) for n, c in tries.items()))}, {time.monotonic() - began:.0f} s: "
          + ("; ".join(faults) or "each is there once"))
    return 1 if faults else 0


def parse_options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the rewards binary, a release build")
    parser.add_argument("--cuts", type=int, default=60, metavar="N")
    parser.add_argument("--kills", type=int, default=30, metavar="N")
    parser.add_argument("--pool", action="store_true", help="with a pgbouncer before the server")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    options.program = options.program.resolve()
    return options


if __name__ == "__main__":
    sys.exit(main())
