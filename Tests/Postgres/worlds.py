"""Ledgers in databases of their own, gifts given there until they are acknowledged, and what must hold of them afterwards.

Each worker lives in a mount namespace of its own, as on a machine of its own: none finds the other's control socket, unless it
is started beside the other.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

for neighbour in ("Lives", "Faults"):
    sys.path.insert(1, str(Path(__file__).resolve().parent.parent / neighbour))

import control
import gifts
from places import Database

APART = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /run && mkdir /run/rewards && exec "$@"', "sh"]
USERS = [f"u{number}" for number in range(3)]
# Has transactions take their time, at once and at COMMIT, so that they can be met at work.
SLOWNESS = """
    CREATE SCHEMA slowness;
    CREATE FUNCTION slowness.wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_sleep(random() * {seconds});
      RETURN NEW;
    END $$;
    CREATE TRIGGER wait BEFORE INSERT ON rewards.chunk FOR EACH ROW EXECUTE FUNCTION slowness.wait();
    CREATE CONSTRAINT TRIGGER wait_late AFTER INSERT ON rewards.chunk DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION slowness.wait();
    CREATE CONSTRAINT TRIGGER wait_late AFTER UPDATE ON rewards.shard DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION slowness.wait();
    """
# No command takes longer, whatever its database does: one that is still there then hangs.
COMMAND_SECONDS = 120


class World:
    """A ledger in a database of its own, and what was acknowledged there."""

    def __init__(self, program: Path, place: Database, folder: Path, seed: str, answers: bool = False):
        self.program, self.place, self.folder, self.draw = program, place, folder, random.Random(seed)
        # Where a service answers in what state it is, where that is asked; with 0 nobody knows.
        self.port = control.free_port() if answers else 0
        self.environment = os.environ | gifts.SECRET
        folder.mkdir()
        (folder / "jobs").mkdir()
        (folder / "rewards.json").write_text(json.dumps({
            "data": place.address, "jobs": "jobs", "relay": {}, "admin": {"listen": f"127.0.0.1:{self.port}"}}))
        self.given: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.worst: dict[str, float] = {}
        self.faults: list[str] = []
        # When a gift was not acknowledged, and what the command said and ended with.
        self.refusals: list[tuple[float, int, str]] = []
        self.gifts = 0
        self.services: list[subprocess.Popen] = []
        roster = "".join(json.dumps({"user": user, "timezone": "Asia/Tokyo"}) + "\n" for user in USERS)
        importing = self.start("users", "import", "-", given=roster)
        output = "".join(importing.communicate(timeout=COMMAND_SECONDS))
        if importing.returncode:
            raise RuntimeError(f"users import ended with {importing.returncode}: {output}")

    def start(self, *words: str, beside: subprocess.Popen | None = None, given: str = "") -> subprocess.Popen:
        """Starts a command on a machine of its own, or on that of the worker `beside`."""
        machine = ["nsenter", "--mount", "--root", f"--wd={self.folder}", f"--target={beside.pid}"] if beside else APART
        process = subprocess.Popen([*machine, self.program, *words], env=self.environment, cwd=self.folder, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(given)
        process.stdin.close()
        process.stdin = None
        return process

    def run(self, *words: str) -> subprocess.CompletedProcess:
        """Runs a command beside no service."""
        return subprocess.run([self.program, *words], env=self.environment, cwd=self.folder, capture_output=True, text=True,
                              check=False, timeout=COMMAND_SECONDS)

    def gift(self) -> tuple[str, list[str]]:
        """To whom the next gift goes, and the command for it."""
        self.gifts += 1
        user = self.draw.choice(USERS)
        return user, ["grant", user, "--points", "1", "--reason", "thanks", "--id", f"gift-{self.gifts}"]

    def attempt(self, user: str, words: list[str], beside: subprocess.Popen | None = None) -> bool:
        """Gives once; whether that was acknowledged."""
        process = self.start(*words, beside=beside if beside and beside.poll() is None else None)
        try:
            output = "".join(process.communicate(timeout=COMMAND_SECONDS))
        except subprocess.TimeoutExpired:
            process.kill()
            output = "".join(process.communicate())
            raise RuntimeError(f"{' '.join(words)} did not end within {COMMAND_SECONDS} s: {output}") from None
        if process.returncode == 0:
            self.given[user] += 1
            return True
        self.refusals.append((time.monotonic(), process.returncode, output.strip()))
        return False

    def insist(self, user: str, words: list[str], beside: subprocess.Popen | None = None, seconds: float = 60) -> None:
        """Repeats a gift until it is acknowledged."""
        end = time.monotonic() + seconds
        while not self.attempt(user, words, beside):
            self.counts["repeated"] += 1
            if time.monotonic() > end:
                raise RuntimeError(f"{' '.join(words)} was not acknowledged within {seconds} s: {self.refusals[-1][2]}")
            time.sleep(0.05)

    def serve(self) -> subprocess.Popen:
        """A service that has the lease."""
        with open(self.folder / "serve.log", "ab") as log:
            service = subprocess.Popen([*APART, self.program, "serve"], env=self.environment, cwd=self.folder,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        self.services.append(service)
        end = time.monotonic() + 60
        while not self.place.serving():
            if service.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the service does not get the lease: {self.log()}")
            time.sleep(0.05)
        self.insist(*self.gift(), beside=service)
        return service

    def log(self) -> str:
        """The end of what its services have told."""
        return (self.folder / "serve.log").read_text()[-800:]

    def readiness(self) -> tuple[int, str]:
        """What its service says of whether it works; 0 where there is no answer."""
        try:
            return control.ask(self.port, "/readyz")
        except control.NoAnswer as error:
            return 0, str(error)

    def finish(self, service: subprocess.Popen, meanwhile: str) -> None:
        """Ends a service that must be there still, and must still work."""
        if service.poll() is not None:
            self.faults.append(f"a service ended with {service.returncode} while {meanwhile}: {self.log()}")
            return
        try:
            self.insist(*self.gift(), beside=service)
            service.send_signal(signal.SIGTERM)
            if service.wait(60) != 0:
                self.faults.append(f"a service was asked to end and did with {service.returncode}: {self.log()}")
        except subprocess.TimeoutExpired:
            self.faults.append(f"a service was asked to end and does not: {self.log()}")
        finally:
            service.kill()
            service.wait()

    def end(self) -> None:
        """Leaves no service behind, whatever went wrong."""
        for service in self.services:
            service.kill()
            service.wait()

    def note(self, name: str, seconds: float) -> None:
        """Keeps the longest time."""
        self.worst[name] = max(self.worst.get(name, 0), seconds)

    def check(self) -> None:
        """Compares what there is with what was acknowledged."""
        self.faults += gifts.faults(self.run, USERS, self.given)


class Giver:
    """Gives through a service, one gift after another, until it is told to stop; insists upon each for so many seconds.

    With 0 it gives until the first is not acknowledged.
    """

    def __init__(self, world: World, service: subprocess.Popen, seconds: float = 120):
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
        wanted, end = self.world.given.total() + count, time.monotonic() + seconds
        while self.world.given.total() < wanted:
            if time.monotonic() > end or not self.thread.is_alive():
                return False
            time.sleep(0.01)
        return True

    def stop(self) -> None:
        """Ends with the gift in hand."""
        self.is_over.set()
        self.thread.join()


def guarded(world: World, work) -> bool:
    """Work whose failure is a fault of its world; whether it was done to its end."""
    try:
        work()
    except Exception as error:
        world.faults.append(repr(error))
        return False
    return True


def slow_down(place: Database, seconds: float) -> None:
    """Has each append take up to so many seconds before COMMIT, and twice so many at COMMIT."""
    place.ask(SLOWNESS.format(seconds=seconds))


def wait_until(condition, seconds: float, what: str) -> None:
    """Waits until something holds that must hold soon."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"not within {seconds} s: {what}")
        time.sleep(0.05)


def are_apart() -> bool:
    """Whether workers can live on machines of their own here; says so where they cannot."""
    if subprocess.run([*APART, "true"], capture_output=True, check=False).returncode:
        print("left out: no mount namespaces can be made here, as in a folder that a machine takes for its root")
        return False
    return True
