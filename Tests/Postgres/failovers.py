#!/usr/bin/env python3
"""Lets the database's primary die in the midst of gifts, again and again: its standby must have all that was acknowledged, once.

usage: failovers.py PROGRAM [--failovers N] [--seed S]

Two servers, of which one follows the other and a COMMIT waits for it; the program is told of both. Gifts are given through a
service while the primary is stopped at once or killed, the standby is promoted, and the old primary becomes the new standby.
Meanwhile the operator has COMMITs wait until that is there, or not wait for a while, in which no primary dies. The service must
go on by itself. Then somebody cancels a COMMIT that waits for a standby which is away: the gift may not be acknowledged before
the standby has it.

In the end the standby gets nothing more for a while, as one for which no COMMIT waits, and the primary dies: what was
acknowledged last is lost. A service that knew of it must write nothing more, and tell which head is there and which it knew, or
end; one that is started anew works on what is there. So it is with a service that nobody asks for anything meanwhile, with one
that is just giving, and with one that was started when the standby got nothing any more.
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Postgres.injections import slow_down
from Postgres.standbys import WORK_SECONDS, Pair
from Postgres.worlds import Giver, World, are_apart, guarded, outcome
from Shared.places import Database
from Shared.program import Failed, arguments
from Shared.service import Service
from Shared.waiting import wait_until

LOST = 75
# The program gives up a COMMIT that is not answered for 20 s, and asks then what became of it.
LONG_WAIT_SECONDS = 25
# So long it may take until a gift is acknowledged from the moment on at which the database takes it.
RESUME_SECONDS = 45
# So long it may take until a service shows that its ledger is not what it knew: it asks for its lease every 5 s.
NOTICE_SECONDS = 12
FALLING_BACK = ("idle", "giving", "young")


def fail_over(world: World, pair: Pair, giver: Giver, number: int) -> None:
    """One failover in the midst of gifts; returns when the next one is fair."""
    draw = world.draw
    if not giver.go_on(draw.randint(5, 30), WORK_SECONDS):
        raise Failed(f"failover {number + 1}: no gifts are given before it")
    time.sleep(draw.uniform(0, 0.1))
    world.counts[pair.die()] += 1
    died, known = time.monotonic(), world.given.total()
    time.sleep(draw.choice((0, 0.5, 2, 4)))
    pair.promote()
    world.place.socket = pair.primary.folder
    waits = number % 2 == 0
    # Now and then for longer than the program waits for an answer.
    delay = LONG_WAIT_SECONDS if number % 5 == 4 else draw.choice((0, 1))
    if not waits:
        pair.set_waiting(False)
        resume(world, giver, died, "without a standby")
    time.sleep(delay)
    # What was acknowledged at the moment of the death may be told a little later.
    if waits and world.given.total() > known + 1:
        raise Failed("the server did not wait for a standby: this test proves nothing")
    rebuild = draw.choice((pair.copy, pair.rewind))
    world.counts["copied" if rebuild == pair.copy else "rewound"] += 1
    rebuild()
    if waits:
        resume(world, giver, died, "after a long wait for the standby" if delay == LONG_WAIT_SECONDS else "with the new standby")
    pair.wait_for_standby()


def resume(world: World, giver: Giver, died: float, when: str) -> None:
    """Waits until gifts are acknowledged again, and notes how long that took."""
    able = time.monotonic()
    # The first may have been acknowledged before the primary died, and was told only now.
    if not giver.go_on(2, RESUME_SECONDS):
        world.faults.append(f"{when}, nothing was acknowledged for {time.monotonic() - able:.0f} s: {world.refusals[-1:]}, "
                            f"/readyz: {world.readiness()}, the service: {world.log()}")
        # Whether it comes to itself at all shows in what follows.
        giver.go_on(2, WORK_SECONDS)
    world.note(f"next gift {when}", time.monotonic() - died)
    world.note("next gift once the database takes it", time.monotonic() - able)


def fall_back(world: World, pair: Pair, scene: str) -> None:
    """A failover to a standby that lacks what was acknowledged last."""
    if scene == "giving":
        # Mostly the primary dies in the midst of a COMMIT.
        slow_down(world.place, 0.1)
    service = None if scene == "young" else world.serve()
    for _ in range(5):
        world.insist(*world.gift(), beside=service)
    wait_until(pair.is_in_step, "the standby is in step", WORK_SECONDS)
    kept, kept_head = world.given.copy(), head_of(world)
    pair.cut()
    if not service:
        service = world.serve()
    lost = [world.gift() for _ in range(world.draw.randint(1, 8))]
    for user, words in lost:
        world.insist(user, words, beside=service)
    lost_head = head_of(world)
    givers = [Giver(world, service, seconds=0) for _ in range(2)] if scene == "giving" else []
    time.sleep(world.draw.uniform(0.5, 1))
    known = len(world.refusals)
    world.counts[pair.die()] += 1
    pair.promote()
    world.place.socket = pair.primary.folder
    pair.set_waiting(False)
    for giver in givers:
        giver.thread.join()
    # Whatever else was acknowledged is lost: it was before the primary died, or else the head tells.
    world.given = kept
    world.counts[f"{scene}: refused under way"] += len(world.refusals) - known
    is_succeeded = watch(world, service, scene, kept_head, lost_head)
    if service.poll() is None:
        world.counts[f"{scene}: asked to end, it ends with {service.stop()}"] += 1
    if not is_succeeded and (now := head_of(world)) != kept_head:
        world.faults.append(f"the service that knew more has written: the head is {now}, the standby's was {kept_head}")
    if world.run("ledger", "verify", "--head", lost_head, codes=None).code == 0:
        world.faults.append(f"ledger verify does not miss the head {lost_head}")
    successor = world.serve()
    for user, words in lost:
        world.insist(user, words, beside=successor)
    world.finish(successor, "it worked on what was there")
    if scene != FALLING_BACK[-1]:
        pair.copy()
        pair.wait_for_standby()


def watch(world: World, service: Service, scene: str, kept_head: str, lost_head: str) -> bool:
    """What a service does whose ledger went back: it may end, or write nothing and say why. Returns whether a command has succeeded it."""
    began = time.monotonic()
    # Nobody asks it for anything: it asks for its lease every few seconds, and with it could see the head.
    while scene != "giving" and service.poll() is None and world.readiness()[0] == 200:
        if time.monotonic() > began + NOTICE_SECONDS:
            world.faults.append(f"/readyz says {world.readiness()} {NOTICE_SECONDS} s after the head went back")
            break
        time.sleep(0.1)
    world.note(f"{scene}: shows it", time.monotonic() - began)
    refusals, is_succeeded = [], False
    end = time.monotonic() + (0 if service.poll() is not None else NOTICE_SECONDS)
    while len(refusals) < 3 and service.poll() is None and time.monotonic() < end:
        user, words = world.gift()
        answer = world.run(*words, machine=world.machine(service), codes=None)
        if answer.code == 0 and has_ended(service):
            # The command found no service any more, and began with what is there, as a new one would.
            world.given[user] += 1
            world.counts[f"{scene}: a command came behind it"] += 1
            is_succeeded = True
        elif answer.code == 0:
            world.faults.append(f"a gift was acknowledged behind {lost_head}, which is lost: {answer.said}")
            return False
        refusals.append(f"{answer.code}: {answer.said}")
        time.sleep(0.5)
    if service.poll() is not None:
        world.counts[f"{scene}: it ended with {service.returncode}"] += 1
        if service.returncode != LOST:
            world.faults.append(f"the service ended with {service.returncode}: {world.log()}")
        return is_succeeded
    status, reason = world.readiness()
    world.counts[f"{scene}: it refuses"] += 1
    if status != 503:
        world.faults.append(f"/readyz says {status} {reason}, while gifts are refused: {refusals[-1]}")
    # It may have known a later one, by a gift that was under way.
    heads = [kept_head] if scene == "giving" else [kept_head, lost_head]
    if any(head not in reason for head in heads):
        world.faults.append(f"/readyz names not both heads, {lost_head} and {kept_head}: {reason}")
    mute = [text for text in refusals if any(head not in text for head in heads)]
    if mute:
        world.faults.append(f"{len(mute)} of {len(refusals)} refusals name not both heads, as {mute[-1]}")
    return False


def has_ended(service: Service) -> bool:
    """Whether a service has ended, or does within seconds."""
    try:
        service.wait(5)
    except subprocess.TimeoutExpired:
        return False
    return True


def cancel_wait(world: World, pair: Pair) -> None:
    """Somebody cancels a COMMIT that waits for a standby which is not there: the primary has it then, and no other."""
    service = world.serve()
    pair.standby.stop_at_once()
    user, words = world.gift()
    flying = world.start(*words, machine=world.machine(service))
    waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'"
    wait_until(lambda: pair.primary.ask(f"SELECT count(*) {waiting}") != "0", "a COMMIT waits", WORK_SECONDS)
    pair.primary.ask(f"SELECT pg_cancel_backend(pid) {waiting}")
    world.counts["cancelled while they waited"] += 1
    try:
        if flying.wait(3) == 0:
            world.faults.append("a gift was acknowledged that the primary alone has: it would be lost with it")
    except subprocess.TimeoutExpired:
        pass
    pair.standby.start()
    wait_until(pair.is_in_step, "the standby is in step", WORK_SECONDS)
    flying.communicate(timeout=WORK_SECONDS)
    world.insist(user, words, beside=service)
    world.finish(service, "the standby was away")


def head_of(world: World) -> str:
    """The ledger's head."""
    return world.run("ledger", "head").out.strip()


def main() -> int:
    """Fails over and falls back, and compares."""
    parser = arguments(__doc__)
    parser.add_argument("--failovers", type=int, default=4, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    if not are_apart():
        return 0
    program, began = options.program, time.monotonic()
    worlds = []
    with tempfile.TemporaryDirectory(prefix="rewards-failover-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        draw = random.Random(options.seed)
        pair = Pair(folder, draw)
        try:
            for number, scene in enumerate(("failovers", "cancelled", *FALLING_BACK)):
                place = Database(program, pair.primary.folder, scene)
                # A standby that does not know the database yet would be an end of the search for one that takes writes.
                wait_until(pair.has_caught_up, "the standby knows the database", WORK_SECONDS)
                place.address = pair.address(scene, in_authority=bool(number % 2))
                world = World(program, place, folder / scene, f"{options.seed}/{scene}", answers=True)
                worlds.append(world)
                if scene == "failovers":
                    is_done = guarded(world, lambda: fail_over_often(world, pair, options.failovers))
                elif scene == "cancelled":
                    is_done = guarded(world, lambda: cancel_wait(world, pair))
                else:
                    is_done = guarded(world, lambda: fall_back(world, pair, scene))
                guarded(world, world.check)
                if not is_done:
                    # Nobody knows in what state the servers are.
                    break
        finally:
            for world in worlds:
                world.end()
            pair.close()
    return outcome(worlds, began)


def fail_over_often(world: World, pair: Pair, failovers: int) -> None:
    """Fails over in the midst of gifts, as often as asked."""
    # About half of the time a COMMIT is under way.
    slow_down(world.place, 0.015)
    service = world.serve()
    with Giver(world, service) as giver:
        for number in range(failovers):
            fail_over(world, pair, giver, number)
    world.finish(service, "the primary died")


if __name__ == "__main__":
    sys.exit(main())
