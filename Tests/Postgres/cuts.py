#!/usr/bin/env python3
"""Cuts the line between the program and its database at COMMIT, and kills the program: what was acknowledged must be there, once.

usage: cuts.py PROGRAM [--cuts N] [--kills N] [--pool] [--seed S]

A proxy stands between them. At a COMMIT it drops the line before the server sees it, after the server has answered, or holds it
back and delivers it when the client has long given up; with --pool a pgbouncer stands behind it, in transaction pooling. Each gift
has an id and is repeated until it is acknowledged; then balances, ledger and audit must tell of each exactly once.
"""

import argparse
import random
import socket
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Postgres import gifts
from Shared.installation import Installation
from Shared.places import Database, Pool, Server, running_server
from Shared.program import arguments, json_lines

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
    with running_server("rewards-cut-") as (folder, server):
        for name in ("pool", "near"):
            (folder / name).mkdir()
        pool = Pool(folder / "pool", server.folder) if options.pool else None
        try:
            return check(options, draw, folder, server, pool)
        finally:
            if pool:
                pool.close()


def check(options: argparse.Namespace, draw: random.Random, folder: Path, server: Server, pool: Pool | None) -> int:
    """The gifts, one after another, and what is there in the end."""
    near = folder / "near"
    proxy = Proxy(near, pool.folder if pool else server.folder)
    installation = Installation(options.program, folder / "installation",
                                {"data": f"postgres://rewards@{quote(str(near), safe='')}/cuts", "relay": {}},
                                Database(options.program, server.folder, "cuts"))
    users = [f"u{number}" for number in range(5)]
    installation.run("users", "import", "-", given=json_lines({"user": user, "timezone": "Asia/Tokyo"} for user in users))
    expected: Counter[str] = Counter()
    tries, began = Counter(), time.monotonic()
    for number in range(options.cuts + options.kills):
        user, gift = draw.choice(users), f"gift-{number}"
        words = ("grant", user, "--points", "1", "--reason", gift, "--id", gift)
        if number < options.cuts:
            with proxy.lock:
                proxy.plan = (WAYS[number % len(WAYS)], draw.choice((1, 1, 1, 2)))
        else:
            installation.kill(*words, after=draw.uniform(0, 0.04))
        for attempt in range(20):
            answer = installation.run(*words, codes=None)
            tries[attempt] += answer.code == 0
            if answer.code == 0:
                break
        else:
            print(f"{gift} was never acknowledged: {answer.said}")
            return 1
        expected[user] += 1
    proxy.plan = None
    faults = gifts.faults(installation, users, expected)
    print(f"{sum(expected.values())} gifts, {dict(proxy.cuts)} cuts at COMMIT, {options.kills} kills, "
          f"acknowledged at the try {dict(sorted((n + 1, c) for n, c in tries.items()))}, {time.monotonic() - began:.0f} s: "
          + ("; ".join(faults) or "each is there once"))
    return 1 if faults else 0


def parse_options() -> argparse.Namespace:
    """What the command line says."""
    parser = arguments(__doc__)
    parser.add_argument("--cuts", type=int, default=60, metavar="N")
    parser.add_argument("--kills", type=int, default=30, metavar="N")
    parser.add_argument("--pool", action="store_true", help="with a pgbouncer before the server")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
