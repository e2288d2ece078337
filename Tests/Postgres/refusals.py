#!/usr/bin/env python3
"""Lets the database refuse what the program asks for: what was acknowledged must be there, once, and the reason must be told.

usage: refusals.py PROGRAM [--gifts N] [--scenes NAME…] [--seed S]

Gifts are given through a service, each repeated until it is acknowledged, while its database

  storms     has transactions fail that should be sent again: some of them, most of them, all of them, at once and at COMMIT;
  fills      has no space left for its tables, with gifts that wait, and once more with nobody who asks;
  panics     has no space left for anything, its log included, so that the server breaks down;
  closes     cancels statements and closes sessions while they work;
  refuses    lets new sessions only read;
  freezes    lets sessions that are there only read, too;
  vanishes   is gone for as long as the program asks what became of a COMMIT. Not unless it is named: it takes minutes.

The service must not end, must go on by itself, and while it cannot write, /readyz must say so and why. Takes root.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Postgres.injections import HUNT, STORM, slow_down
from Postgres.worlds import Giver, World, are_apart, guarded
from Shared.disks import SmallDisk
from Shared.places import Database, Server, running_server
from Shared.program import Failed, arguments
from Shared.service import Service
from Shared.waiting import wait_until

# So long it may take until /readyz shows that nothing can be written, and why.
NOTICE_SECONDS = 10
# So long it may take until the service works again when the database does.
RESUME_SECONDS = 20
# So long the database refuses everything.
REFUSING_SECONDS = 2
# The program asks for a minute what became of a COMMIT; a little more is allowed.
ASKING_SECONDS = 75
# What tells an operator to look where nothing is wrong, when it is the database that refuses.
MISLEADING = ("make the file system writable", "restore a backup", "read back", "another worker")


@dataclass
class Stage:
    """What a scene is played with."""

    world: World
    service: Service
    server: Server
    disk: SmallDisk | None
    gifts: int


def storms(stage: Stage) -> None:
    """Transactions fail that should be sent again."""
    world = stage.world
    with Giver(world, stage.service) as giver:
        for at_once, at_commit in ((0.3, 0), (0, 0.3), (0.3, 0.3)):
            world.place.ask(f"UPDATE storm.force SET at_once = {at_once}, at_commit = {at_commit}")
            go_on(world, giver, stage.gifts, 60, f"{at_once} at once and {at_commit} at COMMIT")
        for at_once, at_commit in ((0.9, 0), (0, 0.9)):
            world.place.ask(f"UPDATE storm.force SET at_once = {at_once}, at_commit = {at_commit}")
            before = world.given.total()
            time.sleep(REFUSING_SECONDS)
            world.counts["in the hard storm"] += world.given.total() - before
        for at_once, at_commit in ((1, 0), (0, 1)):
            world.place.ask(f"UPDATE storm.force SET at_once = {at_once}, at_commit = {at_commit}")
            began = time.monotonic()
            wait_for_reason(world, "SQLSTATE 40")
            time.sleep(REFUSING_SECONDS)
            wait_for_reason(world, "SQLSTATE 40")
            world.note("total storm", time.monotonic() - began)
            world.place.ask("UPDATE storm.force SET at_once = 0, at_commit = 0")
            go_on(world, giver, stage.gifts, RESUME_SECONDS, "the storm is over")
            wait_for_readiness(world, "the storm is over")


def fills(stage: Stage) -> None:
    """The tables' disk is full."""
    world = stage.world
    with Giver(world, stage.service) as giver:
        fill_until_refused(world, stage.disk, lambda: time.sleep(0.2))
        watch_while_full(world, stage.disk)
        stage.disk.free()
        go_on(world, giver, stage.gifts, RESUME_SECONDS, "there is space again")
        wait_for_readiness(world, "there is space again")
    # Once more, with nobody who asks for anything when there is space again.
    waiting: list[tuple[str, list[str]]] = []

    def give() -> None:
        gift = waiting.pop() if waiting else world.gift()
        if not world.attempt(*gift, beside=stage.service):
            waiting.append(gift)

    fill_until_refused(world, stage.disk, give)
    wait_for_reason(world, "No space left|53100")
    stage.disk.free()
    wait_for_readiness(world, "there is space again and nobody asks")
    for gift in waiting:
        world.insist(*gift, beside=stage.service)


def panics(stage: Stage) -> None:
    """The server's disk is full."""
    world = stage.world
    with Giver(world, stage.service) as giver:
        go_on(world, giver, stage.gifts, 60, "the disk is not full yet")
        # Each new file of the log takes 16 MB.
        while is_there(world.place):
            stage.disk.fill()
            try:
                world.place.ask("SELECT pg_create_restore_point('ash'); SELECT pg_switch_wal()", "postgres")
            except subprocess.CalledProcessError:
                world.counts["psql refused"] += 1
        wait_for_reason(world, REASONS["panics"])
        time.sleep(REFUSING_SECONDS)
        stage.disk.free()
        if not is_there(world.place):
            # It may be starting by itself; if it has ended, it takes an operator.
            stage.server.restart()
        go_on(world, giver, stage.gifts, RESUME_SECONDS, "there is space again")
        wait_for_readiness(world, "there is space again")


def is_there(place: Database) -> bool:
    """Whether the server answers."""
    try:
        place.ask("SELECT 1", "postgres")
    except subprocess.CalledProcessError:
        return False
    return True


def closes(stage: Stage) -> None:
    """Statements are cancelled, sessions closed."""
    world = stage.world
    with Giver(world, stage.service) as giver:
        # Each hit costs a fraction of a second.
        seconds = 60 + 4 * stage.gifts
        wanted, end = world.given.total() + 4 * stage.gifts, time.monotonic() + seconds
        while world.given.total() < wanted:
            if time.monotonic() > end:
                world.faults.append(f"{4 * stage.gifts} gifts take more than {seconds} s while sessions are closed")
                break
            world.place.ask(HUNT.format(name=world.place.name), "hunt")
        world.counts["cancelled or closed"] += int(world.place.ask("SELECT count FROM hunt.hits", "hunt"))
        go_on(world, giver, stage.gifts, RESUME_SECONDS, "sessions are let alone")
        wait_for_readiness(world, "sessions are let alone")


def refuses(stage: Stage) -> None:
    """New sessions may only read."""
    name = stage.world.place.name
    setting = f"ALTER DATABASE {name} SET default_transaction_read_only"
    close = f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'"
    read_only(stage, [f"{setting} = on", close], [f"{setting} = off"])


def freezes(stage: Stage) -> None:
    """All sessions may only read, from their next transaction on."""
    setting, reload = "ALTER SYSTEM SET default_transaction_read_only", "SELECT pg_reload_conf()"
    read_only(stage, [f"{setting} = on", reload], [f"{setting} = off", reload])


def read_only(stage: Stage, begin: list[str], end: list[str]) -> None:
    """Nothing can be written for some seconds."""
    world = stage.world
    with Giver(world, stage.service) as giver:
        go_on(world, giver, stage.gifts, 60, "the database can be written")
        for statement in begin:
            world.place.ask(statement, "postgres")
        wait_for_reason(world, "read-only")
        time.sleep(REFUSING_SECONDS)
        wait_for_reason(world, "read-only")
        for statement in end:
            world.place.ask(statement, "postgres")
        go_on(world, giver, stage.gifts, RESUME_SECONDS, "the database can be written again")
        wait_for_readiness(world, "the database can be written again")


def vanishes(stage: Stage) -> None:
    """The server is gone in the midst of a COMMIT, until the program has told what it knows."""
    world = stage.world
    user, words = world.gift()
    gift = world.start(*words, machine=world.machine(stage.service))
    busy = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{world.place.name}' AND query = 'COMMIT' AND state = 'active'"
    wait_until(lambda: world.place.ask(busy, "postgres") != "0", "a COMMIT is under way", 20)
    os.kill(int((stage.server.folder / "server" / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
    began = time.monotonic()
    wait_for_reason(world, REASONS["vanishes"])
    text = "".join(gift.communicate(timeout=600))
    world.note("the gift was refused", time.monotonic() - began)
    if gift.returncode == 0:
        world.faults.append(f"a gift was acknowledged without a server: {text}")
    if time.monotonic() - began > ASKING_SECONDS:
        world.faults.append(f"the gift was refused after {time.monotonic() - began:.0f} s: {text}")
    stage.server.restart()
    world.insist(user, words, beside=stage.service, seconds=RESUME_SECONDS)
    wait_for_readiness(world, "the server is there again")


# What a refusal may say, by scene.
REASONS = {
    "storms": r"SQLSTATE (40001|40P01)",
    "fills": r"No space left on device.*SQLSTATE 53100",
    "panics": r"No space left on device|SQLSTATE (53100|57P0.|08...)|an append has waited",
    "closes": r"SQLSTATE (57014|57P01|08...)",
    "refuses": r"read-only|SQLSTATE (57P01|08006)",
    "freezes": r"read-only",
    "vanishes": r"SQLSTATE 08|an append has waited",
}


def go_on(world: World, giver: Giver, count: int, seconds: float, when: str) -> None:
    """Waits until so many more gifts are acknowledged; notes how long the first took."""
    began = time.monotonic()
    if not giver.go_on(1, seconds):
        world.faults.append(f"{when}, nothing was acknowledged for {seconds} s: {world.refusals[-1:]}, "
                            f"/readyz: {world.readiness()}, the service: {world.log()}")
        return
    world.note(f"first gift when {when}", time.monotonic() - began)
    if not giver.go_on(count, 120):
        world.faults.append(f"{when}, {count} gifts take more than 120 s: {world.refusals[-1:]}")


def wait_for_reason(world: World, reason: str) -> None:
    """Waits until /readyz says that nothing can be written, and why."""
    began = time.monotonic()
    while time.monotonic() < began + NOTICE_SECONDS:
        status, text = world.readiness()
        if status == 503 and re.search(reason, text):
            fault = f"/readyz misleads: {text}"
            if fault not in world.faults and any(words in text for words in MISLEADING):
                world.faults.append(fault)
            world.note("/readyz shows it", time.monotonic() - began)
            return
        time.sleep(0.05)
    world.faults.append(f"/readyz says {status} {text!r} and not why after {NOTICE_SECONDS} s: {world.refusals[-1:]}")


def wait_for_readiness(world: World, when: str) -> None:
    """Waits until /readyz says that all is well."""
    began = time.monotonic()
    while (answer := world.readiness())[0] != 200:
        if time.monotonic() > began + RESUME_SECONDS:
            world.faults.append(f"{when}, /readyz says {answer} for {RESUME_SECONDS} s")
            return
        time.sleep(0.05)
    world.note(f"ready when {when}", time.monotonic() - began)


def fill_until_refused(world: World, disk: SmallDisk, give) -> None:
    """Fills the disk again and again until a gift is refused for that: a page that is there may take some yet."""
    known, end = len(world.refusals), time.monotonic() + 60
    while len(world.refusals) == known:
        if time.monotonic() > end:
            raise Failed("the full disk refuses nothing: this test proves nothing")
        disk.fill()
        give()


def watch_while_full(world: World, disk: SmallDisk) -> None:
    """While the disk is full, /readyz must say so unless something was written just now."""
    wait_for_reason(world, r"No space left|53100|57P0|08006|08001")
    end, last, given = time.monotonic() + REFUSING_SECONDS, time.monotonic(), world.given.total()
    while time.monotonic() < end:
        disk.fill()
        if world.given.total() > given:
            last, given = time.monotonic(), world.given.total()
        status, text = world.readiness()
        if status != 503 and time.monotonic() > last + 1:
            world.faults.append(f"/readyz says {status} {text!r} while nothing was written for 1 s: {world.refusals[-1:]}")
            return
        time.sleep(0.1)


def judge(world: World, scene: str) -> None:
    """Each refusal must tell what the database said, and nothing that leads astray."""
    texts = Counter(f"{answer.code}: {answer.said}" for answer in world.refusals)
    wrong = {text: count for text, count in texts.items()
             if not re.search(REASONS[scene], text, re.DOTALL) or any(words in text for words in MISLEADING)}
    world.counts["refused"] += texts.total()
    if wrong:
        first = max(wrong, key=wrong.get)
        world.faults.append(f"{sum(wrong.values())} of {texts.total()} refusals mislead, as ({wrong[first]} times) {first}")


def play(name: str, folder: Path, server: Server, options: argparse.Namespace) -> World:
    """One scene in a world of its own; `panics` on a server of its own."""
    disk = SmallDisk(folder / name, {"panics": 120}.get(name, 16)) if name in ("fills", "panics") else None
    try:
        if name != "panics":
            return live(name, folder, server, disk, options)
        own = Server(disk.folder, "min_wal_size=32MB", "max_wal_size=64MB")
        try:
            return live(name, folder, own, disk, options)
        finally:
            own.close()
    finally:
        if disk:
            disk.close()


def live(name: str, folder: Path, server: Server, disk: SmallDisk | None, options: argparse.Namespace) -> World:
    """Plays a scene and compares."""
    place = Database(options.program, server.folder, name)
    if name == "fills":
        os.chown(disk.folder, os.stat(server.folder).st_uid, -1)
        place.ask(f"CREATE TABLESPACE small LOCATION '{disk.folder}'", "postgres")
        place.ask(f"ALTER DATABASE {name} SET TABLESPACE small", "postgres")
    elif name == "storms":
        place.ask(STORM)
    elif name == "vanishes":
        slow_down(place, 1)
    elif name == "closes":
        slow_down(place, 0.04)
        place.ask("CREATE DATABASE hunt", "postgres")
        place.ask("CREATE SCHEMA hunt; CREATE TABLE hunt.hits AS SELECT 0 AS count", "hunt")
    world = World(options.program, place, folder / f"world-{name}", f"{options.seed}/{name}", answers=True)

    def act() -> None:
        service = world.serve()
        SCENES[name](Stage(world, service, server, disk, options.gifts))
        world.finish(service, f"its database {name}")

    try:
        guarded(world, act)
        judge(world, name)
        guarded(world, world.check)
        if name == "fills":
            # A disk that is taken away has no databases any more.
            place.close()
            place.ask("DROP TABLESPACE small", "postgres")
    finally:
        world.end()
    return world


SCENES = {"storms": storms, "fills": fills, "panics": panics, "closes": closes, "refuses": refuses, "freezes": freezes,
          "vanishes": vanishes}


def main() -> int:
    """Plays the scenes, one after another, and says what came of them."""
    parser = arguments(__doc__)
    parser.add_argument("--gifts", type=int, default=10, metavar="N", help="at least so many in each part of a scene")
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES)[:-1], metavar="NAME")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    if not are_apart():
        return 0
    began = time.monotonic()
    worlds = []
    with running_server("rewards-refusal-") as (folder, server):
        for scene in options.scenes:
            worlds.append(play(scene, folder, server, options))
    for world in worlds:
        print(f"{world.place.name}: {world.given.total()} gifts, {dict(world.counts)}, at worst "
              f"{ {what: f'{seconds:.1f} s' for what, seconds in world.worst.items()} }")
    faults = [f"{world.place.name}: {fault}" for world in worlds for fault in world.faults]
    print(f"{sum(world.given.total() for world in worlds)} gifts, {time.monotonic() - began:.0f} s: "
          + ("; ".join(faults) or "each is there once"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
