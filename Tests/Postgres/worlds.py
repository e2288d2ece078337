"""Ledgers in databases of their own, gifts given there until they are acknowledged, and what must hold of them afterwards.

Each worker lives in a mount namespace of its own, as on a machine of its own: none finds the other's control socket, unless it
is started beside the other.
"""

import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from Postgres import gifts
from Shared import control
from Shared.installation import Installation
from Shared.places import Database
from Shared.program import Answer, Failed, json_lines
from Shared.service import Service
from Shared.waiting import free_port, wait_for

APART = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /run && mkdir /run/rewards && exec "$@"', "sh")
USERS = [f"u{number}" for number in range(3)]


class World(Installation):
    """A ledger in a database of its own, and what was acknowledged there."""

    def __init__(self, program: Path, place: Database, folder: Path, seed: str, answers: bool = False):
        self.draw = random.Random(seed)
        # Where a service answers in what state it is, where that is asked; with 0 nobody knows.
        self.port = free_port() if answers else 0
        super().__init__(program, folder, {"relay": {}, "admin": {"listen": f"127.0.0.1:{self.port}"}}, place)
        self.given: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.worst: dict[str, float] = {}
        self.faults: list[str] = []
        # How commands ended whose gifts were not acknowledged.
        self.refusals: list[Answer] = []
        self.gifts = 0
        self.services: list[Service] = []
        self.run("users", "import", "-", given=json_lines({"user": user, "timezone": "Asia/Tokyo"} for user in USERS), machine=APART)

    def machine(self, worker: Service | None) -> tuple[str, ...]:
        """The words that put a command on the machine of a worker, or on one of its own."""
        return ("nsenter", "--mount", "--root", f"--wd={self.folder}", f"--target={worker.pid}") if worker else APART

    def gift(self) -> tuple[str, list[str]]:
        """To whom the next gift goes, and the command for it."""
        self.gifts += 1
        user = self.draw.choice(USERS)
        return user, ["grant", user, "--points", "1", "--reason", "thanks", "--id", f"gift-{self.gifts}"]

    def attempt(self, user: str, words: list[str], beside: Service | None = None) -> bool:
        """Gives once; whether that was acknowledged."""
        answer = self.run(*words, machine=self.machine(beside if beside and beside.poll() is None else None), codes=None)
        if answer.code == 0:
            self.given[user] += 1
        else:
            self.refusals.append(answer)
        return answer.code == 0

    def insist(self, user: str, words: list[str], beside: Service | None = None, seconds: float = 60) -> None:
        """Repeats a gift until it is acknowledged."""
        end = time.monotonic() + seconds
        while not self.attempt(user, words, beside):
            self.counts["repeated"] += 1
            if time.monotonic() > end:
                raise Failed(f"{' '.join(words)} was not acknowledged within {seconds} s: {self.refusals[-1].said}")
            time.sleep(0.05)

    def serve(self) -> Service:
        """A service that has the lease."""
        service = Service(self, APART)
        self.services.append(service)
        if not wait_for(lambda: service.poll() is not None or self.place.serving(), 60) or service.poll() is not None:
            raise Failed(f"the service does not get the lease: {self.log()}")
        self.insist(*self.gift(), beside=service)
        return service

    def log(self) -> str:
        """The end of what its services have told."""
        return self.services[-1].log[-800:]

    def readiness(self) -> tuple[int, str]:
        """What its service says of whether it works; 0 where there is no answer."""
        try:
            return control.ask(self.port, "/readyz")
        except control.NoAnswer as error:
            return 0, str(error)

    def finish(self, service: Service, meanwhile: str) -> None:
        """Ends a service that must be there still, and must still work."""
        if service.poll() is not None:
            self.faults.append(f"a service ended with {service.returncode} while {meanwhile}: {self.log()}")
            return
        try:
            self.insist(*self.gift(), beside=service)
            if service.stop() != 0:
                self.faults.append(f"a service was asked to end and did with {service.returncode}: {self.log()}")
        finally:
            service.kill()

    def end(self) -> None:
        """Leaves no service behind, whatever went wrong."""
        for service in self.services:
            service.kill()

    def note(self, name: str, seconds: float) -> None:
        """Keeps the longest time."""
        self.worst[name] = max(self.worst.get(name, 0), seconds)

    def check(self) -> None:
        """Compares what there is with what was acknowledged."""
        self.faults += gifts.faults(self, USERS, self.given)


class Giver:
    """Gives through a service, one gift after another, until it is told to stop; insists upon each for so many seconds.

    With 0 it gives until the first is not acknowledged.
    """

    def __init__(self, world: World, service: Service, seconds: float = 120):
        self.world, self.service, self.seconds = world, service, seconds
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=guarded, args=(world, self.give))
        self.thread.start()

    def __enter__(self) -> "Giver":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def give(self) -> None:
        """Gives until it is over."""
        while not self.is_over.is_set():
            if self.seconds:
                self.world.insist(*self.world.gift(), beside=self.service, seconds=self.seconds)
            elif not self.world.attempt(*self.world.gift(), beside=self.service):
                return

    def go_on(self, count: int, seconds: float) -> bool:
        """Whether so many more gifts are acknowledged within so many seconds."""
        wanted = self.world.given.total() + count
        wait_for(lambda: self.world.given.total() >= wanted or not self.thread.is_alive(), seconds)
        return self.world.given.total() >= wanted

    def stop(self) -> None:
        """Ends with the gift in hand."""
        self.is_over.set()
        self.thread.join()


def guarded(world: World, work: Callable[[], None]) -> bool:
    """Work whose failure is a fault of its world; whether it was done to its end."""
    try:
        work()
    except Exception as error:
        world.faults.append(repr(error))
        return False
    return True


def outcome(worlds: list[World], began: float) -> int:
    """Says what came of the gifts of some worlds, and returns the exit code."""
    counts: Counter[str] = sum((world.counts for world in worlds), Counter())
    worst = {name: f"{max(world.worst.get(name, 0) for world in worlds):.1f} s" for world in worlds for name in world.worst}
    faults = [f"{world.place.name}: {fault}" for world in worlds for fault in world.faults]
    print(f"{sum(world.given.total() for world in worlds)} gifts, {dict(counts)}, at worst {worst}, "
          f"{time.monotonic() - began:.0f} s: " + ("; ".join(faults) or "each is there once"))
    return 1 if faults else 0


def are_apart() -> bool:
    """Whether workers can live on machines of their own here; says so where they cannot."""
    if subprocess.run([*APART, "true"], capture_output=True, check=False).returncode:
        print("left out: no mount namespaces can be made here, as in a folder that a machine takes for its root")
        return False
    return True
