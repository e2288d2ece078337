#!/usr/bin/env python3
"""Pauses the worker that has the lease, and lets the database break down: what was acknowledged must be there, once.

usage: outages.py PROGRAM [--pauses N] [--restarts N] [--worlds N] [--seed S]

Each worker lives in a mount namespace of its own, as on a machine of its own: none finds the other's control socket. A service
is stopped in the midst of a gift, for longer or for shorter than its lease lasts. After a longer one somebody else has given
meanwhile: the stale service must end with 75 and must not have written. Then the server breaks down at once, again and again,
while gifts are given through a service, which must go on by itself. Takes root.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "Lives"))

import gifts
from places import Database, Server

LEASE_SECONDS = 15
LOST = 75
APART = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /run && mkdir /run/rewards && exec "$@"', "sh"]
USERS = [f"u{number}" for number in range(3)]


class World:
    """A ledger in a database of its own, and what was acknowledged there."""

    def __init__(self, program: Path, server: Server, folder: Path, number: int, seed: int):
        self.program, self.folder, self.draw = program, folder, random.Random(f"{seed}/{number}")
        self.place = Database(program, server.folder, f"world{number}")
        self.environment = os.environ | gifts.SECRET
        folder.mkdir()
        (folder / "jobs").mkdir()
        (folder / "rewards.json").write_text(json.dumps({
            "data": self.place.address, "jobs": "jobs", "relay": {}, "admin": {"listen": "127.0.0.1:0"}}))
        self.given: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.worst: dict[str, float] = {}
        self.faults: list[str] = []
        self.gifts = 0
        roster = "".join(json.dumps({"user": user, "timezone": "Asia/Tokyo"}) + "\n" for user in USERS)
        self.start("users", "import", "-", given=roster).wait()

    def start(self, *words: str, beside: subprocess.Popen | None = None, given: str = "") -> subprocess.Popen:
        """Starts a command on a machine of its own, or on that of the worker `beside`."""
        machine = ["nsenter", "--mount", "--root", f"--wd={self.folder}", f"--target={beside.pid}"] if beside else APART
        process = subprocess.Popen([*machine, self.program, *words], env=self.environment, cwd=self.folder, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(given)
        process.stdin.close()
        process.stdin = None
        return process

    def gift(self) -> tuple[str, list[str]]:
        """To whom the next gift goes, and the command for it."""
        self.gifts += 1
        user = self.draw.choice(USERS)
        return user, ["grant", user, "--points", "1", "--reason", "thanks", "--id", f"gift-{self.gifts}"]

    def insist(self, user: str, words: list[str], beside: subprocess.Popen | None = None, seconds: float = 60) -> None:
        """Repeats a gift until it is acknowledged."""
        end = time.monotonic() + seconds
        while True:
            process = self.start(*words, beside=beside if beside and beside.poll() is None else None)
            output = "".join(process.communicate(timeout=90))
            if process.returncode == 0:
                self.given[user] += 1
                return
            self.counts["repeated"] += 1
            if time.monotonic() > end:
                raise RuntimeError(f"{' '.join(words)} was not acknowledged within {seconds} s: {output}")
            time.sleep(0.05)

    def serve(self) -> subprocess.Popen:
        """A service that has the lease."""
        with open(self.folder / "serve.log", "ab") as log:
            service = subprocess.Popen([*APART, self.program, "serve"], env=self.environment, cwd=self.folder,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        end = time.monotonic() + 60
        while self.place.ask("SELECT holder LIKE '%rewards serve%' AND expires > now() FROM rewards.shard WHERE shard = 0") != "t\n":
            if service.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the service does not get the lease: {(self.folder / 'serve.log').read_text()[-800:]}")
            time.sleep(0.05)
        self.insist(*self.gift(), beside=service)
        return service

    def note(self, name: str, seconds: float) -> None:
        """Keeps the longest time."""
        self.worst[name] = max(self.worst.get(name, 0), seconds)

    def pause(self) -> None:
        """Stops a service in the midst of a gift, and lets it go on."""
        service = self.serve()
        user, words = self.gift()
        flying = self.start(*words, beside=service)
        time.sleep(self.draw.uniform(0, 0.08))
        service.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        if self.draw.random() < 0.5:
            self.counts["short pauses"] += 1
            time.sleep(self.draw.uniform(0.5, LEASE_SECONDS - 5))
            service.send_signal(signal.SIGCONT)
            flying.communicate(timeout=60)
            self.insist(user, words, beside=service)
            self.insist(*self.gift(), beside=service)
            if service.poll() is not None:
                self.faults.append(f"a service ended with {service.returncode} after a short pause")
            service.kill()
            service.wait()
            return
        self.counts["long pauses"] += 1
        # It would take the lease itself in the end.
        flying.kill()
        flying.communicate()
        self.insist(*self.gift())
        self.note("taken over after", time.monotonic() - began)
        service.send_signal(signal.SIGCONT)
        began = time.monotonic()
        try:
            if service.wait(30) != LOST:
                self.faults.append(f"a stale service ended with {service.returncode}")
            self.note("stale service gone after", time.monotonic() - began)
        except subprocess.TimeoutExpired:
            log = (self.folder / "serve.log").read_text()[-800:]
            threads = {task.joinpath("comm").read_text().strip(): task.joinpath("wchan").read_text()
                       for task in Path(f"/proc/{service.pid}/task").iterdir()}
            self.faults.append(f"a stale service did not end: {threads} {log}")
            service.kill()
            service.wait()
        self.insist(user, words)

    def check(self) -> None:
        """Compares what there is with what was acknowledged."""
        def run(*words: str) -> subprocess.CompletedProcess:
            return subprocess.run([self.program, *words], env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False)

        self.faults += gifts.faults(run, USERS, self.given)


def break_down(worlds: list[World], server: Server, restarts: int, draw: random.Random) -> None:
    """Gives through a service of each world while the server breaks down again and again."""
    services = {world: world.serve() for world in worlds}
    is_over = threading.Event()

    def give(world: World) -> None:
        while not is_over.is_set():
            world.insist(*world.gift(), beside=services[world], seconds=120)

    givers = [threading.Thread(target=guarded, args=(world, lambda world=world: give(world))) for world in worlds]
    for giver in givers:
        giver.start()
    for _ in range(restarts):
        time.sleep(draw.uniform(0.2, 2))
        server.restart()
        worlds[0].counts["restarts"] += 1
    is_over.set()
    for giver in givers:
        giver.join()
    for world, service in services.items():
        if service.poll() is not None:
            world.faults.append(f"a service ended with {service.returncode} while the server broke down")
            continue
        world.insist(*world.gift(), beside=service)
        service.send_signal(signal.SIGTERM)
        if service.wait(60) != 0:
            world.faults.append(f"a service was asked to end and did with {service.returncode}")


def guarded(world: World, work) -> None:
    """Work whose failure is a fault of its world."""
    try:
        work()
    except Exception as error:
        world.faults.append(repr(error))


def main() -> int:
    """Pauses and breaks down, and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the rewards binary, a release build")
    parser.add_argument("--pauses", type=int, default=12, metavar="N")
    parser.add_argument("--restarts", type=int, default=6, metavar="N")
    parser.add_argument("--worlds", type=int, default=6, metavar="N", help="ledgers side by side")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    if subprocess.run([*APART, "true"], capture_output=True, check=False).returncode:
        print("left out: no mount namespaces can be made here, as in a folder that a machine takes for its root")
        return 0
    program, began = options.program.resolve(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rewards-outage-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "pg").mkdir()
        server = Server(folder / "pg")
        try:
            worlds = [World(program, server, folder / f"world{number}", number, options.seed) for number in range(options.worlds)]
            shares = [len(range(number, options.pauses, options.worlds)) for number in range(options.worlds)]
            work = [threading.Thread(target=guarded, args=(world, lambda world=world, share=share: [world.pause() for _ in range(share)]))
                    for world, share in zip(worlds, shares)]
            for thread in work:
                thread.start()
            for thread in work:
                thread.join()
            if options.restarts:
                break_down(worlds, server, options.restarts, random.Random(options.seed))
            for world in worlds:
                guarded(world, world.check)
        finally:
            server.close()
    counts: Counter[str] = sum((world.counts for world in worlds), Counter())
    worst = {name: f"{max(world.worst.get(name, 0) for world in worlds):.1f} s" for world in worlds for name in world.worst}
    faults = [f"{world.place.name}: {fault}" for world in worlds for fault in world.faults]
    print(f"{sum(sum(world.given.values()) for world in worlds)} gifts, {dict(counts)}, at worst {worst}, "
          f"{time.monotonic() - began:.0f} s: " + ("; ".join(faults) or "each is there once"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
