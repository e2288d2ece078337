#!/usr/bin/env python3
"""Kills the service while it writes into the app's documents, lets answers get lost, and compares every document with the ledger.

    sink_test.py PROGRAM [--seed N] [--minutes M | --commits N --kills K] [--model [FLAW] | --self-test]

Without a size it runs for about a minute. The full size is --commits 10000 --kills 200. While the service runs, an app changes the
same documents, users do things, operators give and take back. At the end all comes to rest: each document must hold what it began
with, what the app did, and what the ledger owes, and each single write the difference between its two positions.

With --model, a sink of a few lines of Python stands in for the program's, with one of these flaws or with none; --self-test expects that
each of them is found:

"""

import sys
import time
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from Relay.place import check, passes
from Shared.program import Failed, arguments
from Store import model
from Store.faults import COMMIT_FAULTS, READ_FAULTS, TOKEN_FAULTS
from Store.world import USERS, World


def play(program, seed, minutes, commits, kills, stand_in):
    world = World(program, seed, stand_in)
    try:
        return run(world, minutes, commits, kills)
    except Failed:
        if not stand_in:
            print(world.story(), flush=True)
        raise
    finally:
        world.app.stop()
        world.feed.stop()
        world.end_stand_in()
        world.front.close()


def run(world, minutes, commits, kills):
    counts, dice = world.front.counts, world.dice
    world.begin()
    began = time.monotonic()
    seconds = minutes * 60
    next_replay, next_resume = 0.1, 0.0
    while True:
        progress = counts["commits"] / commits if commits else (time.monotonic() - began) / seconds
        if progress >= 1 and world.kills >= kills:
            break
        world.disturb(progress)
        if progress > next_replay:
            world.replay()
            next_replay += 0.02
        # Each failure of the sink puts all its users off for five seconds and more; that is more of a run than is to be had.
        if time.monotonic() > next_resume:
            world.resume()
            next_resume = time.monotonic() + 1
        if world.kills < kills and world.kills <= progress * kills:
            world.kill()
        time.sleep(dice.uniform(0.05, 0.6))
        check(world.place.service.poll() is None, f"the service has ended: {world.place.service.log[-2000:]}")
        if any(process.poll() is not None for process in world.processes):
            # No flaw is found by that.
            raise RuntimeError("the model has ended")
        check(not commits or time.monotonic() - began < commits * 2 + 600, f"too slow: {counts['commits']} commits")
    wrought = time.monotonic() - began
    world.disturb(1)
    world.rest()
    comparison = world.compare()
    world.restore()
    front = world.front
    refusals = sum(value for name, value in counts.items() if "refused as" in name)
    return (f"{counts['commits']} commits with {counts['writes']} writes in {wrought:.0f} s, {sum(world.app.acts.values())} acts of the app, "
            f"{world.kills} kills, {world.wipes} with lost progress, {front.lost()} lost answers, {refusals} refusals, "
            f"{counts['expired tokens']} expired tokens, {world.replays} replays; {comparison.writes} writes and {USERS} documents "
            f"equal the ledger, at {comparison.owed.head} lines\n  {dict(sorted(counts.items()))}\n  {dict(world.feed.acts)}\n  "
            + "\n  ".join(world.reasons))


def main():
    flaws = "".join(f"    {name:12}{about}\n" for name, about in model.FLAWS.items())
    parser = arguments(__doc__ + "\n" + flaws)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--commits", type=int, default=0)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--without", action="append", default=[], metavar="FAULT", help="leave a fault out; may be repeated")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--model", nargs="?", const="", choices=["", *model.FLAWS], help="test the test")
    chosen = parser.parse_args()
    # Most of a model's life would be its start.
    usual = 2 if chosen.self_test else chosen.commits // 50 or round(chosen.minutes * 20)
    kills = usual if chosen.kills is None else chosen.kills
    for table in (COMMIT_FAULTS, READ_FAULTS, TOKEN_FAULTS):
        table |= dict.fromkeys(chosen.without, 0)
    scene = lambda stand_in: play(chosen.program, chosen.seed, chosen.minutes, chosen.commits, kills, stand_in)
    if not chosen.self_test:
        return 0 if passes("store", lambda: scene(chosen.model)) else 1
    return 0 if passes("the model", lambda: scene("")) and all(passes(flaw, lambda: found(scene, flaw)) for flaw in model.FLAWS) else 1


def found(scene, flaw):
    """What a flaw looks like, which must be seen."""
    try:
        scene(flaw)
    except Failed as error:
        return f"{model.FLAWS[flaw]}: {str(error)[:300]}"
    raise Failed(f"nothing was found, and the sink {model.FLAWS[flaw]}")


if __name__ == "__main__":
    sys.exit(main())
