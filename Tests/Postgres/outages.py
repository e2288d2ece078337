#!/usr/bin/env python3
"""Pauses the worker that has the lease, and lets the database break down: what was acknowledged must be there, once.

usage: outages.py PROGRAM [--pauses N] [--restarts N] [--worlds N] [--seed S]

Each worker lives in a mount namespace of its own, as on a machine of its own: none finds the other's control socket. A service
is stopped in the midst of a gift, for longer or for shorter than its lease lasts. After a longer one somebody else has given
meanwhile: the stale service must end with 75 and must not have written. Then the server breaks down at once, again and again,
while gifts are given through a service, which must go on by itself. Takes root.
"""

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Postgres.worlds import Giver, World, are_apart, guarded, outcome
from Shared.places import Database, Server, running_server
from Shared.program import arguments

LEASE_SECONDS = 15
LOST = 75


def pause(world: World) -> None:
    """Stops a service in the midst of a gift, and lets it go on."""
    service = world.serve()
    user, words = world.gift()
    flying = world.start(*words, machine=world.machine(service))
    time.sleep(world.draw.uniform(0, 0.08))
    service.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    if world.draw.random() < 0.5:
        world.counts["short pauses"] += 1
        time.sleep(world.draw.uniform(0.5, LEASE_SECONDS - 5))
        service.send_signal(signal.SIGCONT)
        flying.communicate(timeout=60)
        world.insist(user, words, beside=service)
        world.insist(*world.gift(), beside=service)
        if service.poll() is not None:
            world.faults.append(f"a service ended with {service.returncode} after a short pause")
        service.kill()
        return
    world.counts["long pauses"] += 1
    # It would take the lease itself in the end.
    flying.kill()
    flying.communicate()
    world.insist(*world.gift())
    world.note("taken over after", time.monotonic() - began)
    service.send_signal(signal.SIGCONT)
    began = time.monotonic()
    try:
        if service.wait(30) != LOST:
            world.faults.append(f"a stale service ended with {service.returncode}")
        world.note("stale service gone after", time.monotonic() - began)
    except subprocess.TimeoutExpired:
        log = world.log()
        threads = {task.joinpath("comm").read_text().strip(): task.joinpath("wchan").read_text()
                   for task in Path(f"/proc/{service.pid}/task").iterdir()}
        world.faults.append(f"a stale service did not end: {threads} {log}")
        service.kill()
    world.insist(user, words)


def pause_often(world: World, pauses: int) -> None:
    """So many pauses, one after another."""
    for _ in range(pauses):
        pause(world)


def break_down(worlds: list[World], server: Server, restarts: int, draw: random.Random) -> None:
    """Gives through a service of each world while the server breaks down again and again."""
    services = {world: world.serve() for world in worlds}
    givers = [Giver(world, service) for world, service in services.items()]
    for _ in range(restarts):
        time.sleep(draw.uniform(0.2, 2))
        server.restart()
        worlds[0].counts["restarts"] += 1
    for giver in givers:
        giver.stop()
    for world, service in services.items():
        world.finish(service, "the server broke down")


def main() -> int:
    """Pauses and breaks down, and compares."""
    parser = arguments(__doc__)
    parser.add_argument("--pauses", type=int, default=12, metavar="N")
    parser.add_argument("--restarts", type=int, default=6, metavar="N")
    parser.add_argument("--worlds", type=int, default=6, metavar="N", help="ledgers side by side")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    if not are_apart():
        return 0
    program, began = options.program, time.monotonic()
    with running_server("rewards-outage-") as (folder, server):
        worlds = [World(program, Database(program, server.folder, f"world{number}"), folder / f"world{number}",
                        f"{options.seed}/{number}") for number in range(options.worlds)]
        shares = [len(range(number, options.pauses, options.worlds)) for number in range(options.worlds)]
        work = [threading.Thread(target=guarded, args=(world, lambda world=world, share=share: pause_often(world, share)))
                for world, share in zip(worlds, shares)]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        if options.restarts:
            break_down(worlds, server, options.restarts, random.Random(options.seed))
        for world in worlds:
            guarded(world, world.check)
    return outcome(worlds, began)


if __name__ == "__main__":
    sys.exit(main())
