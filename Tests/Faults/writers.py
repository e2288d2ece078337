"""Starts two services on one data folder together.

Passes when exactly one of them serves each time, and the other has ended within a second with exit code 75 and has
named the process that holds the folder.
"""

import time

from Faults.place import Place
from Shared.control import is_alive
from Shared.service import Service
from Shared.waiting import wait_for

LIMIT_SECONDS = 1.0
LOCKED = 75


def run(options, outcome):
    """Starts 10 pairs, at full size 200; a folder is new for every other pair."""
    random = options.random(outcome.name)
    place = None
    for number in range(options.size(10, 200)):
        if number % 2 == 0:
            place = Place(options, outcome)
        pair = [Service(place), Service(place)]
        wait_for(lambda: any(s.poll() is not None for s in pair), within=10)
        judge(pair, place, number, outcome)
        for service in pair:
            # What the next pair finds: the lock of a killed holder, or of one that has ended.
            if service.poll() is None and random.random() < 0.5:
                service.stop()
            elif service.poll() is None:
                service.kill()
        outcome.add("pairs")


def judge(pair, place, number, outcome):
    """Compares one pair with what must be; `number` tells which it was."""
    seconds = time.monotonic() - pair[1].began
    losers = [service for service in pair if service.poll() is not None]
    if len(losers) != 1:
        outcome.breach(f"pair {number}: {2 - len(losers)} hold the folder")
        return
    loser = losers[0]
    winner = pair[0] if pair[1] is loser else pair[1]
    outcome.worst("worst end of the other s", seconds)
    if seconds > LIMIT_SECONDS:
        outcome.breach(f"pair {number}: the other was gone after {seconds:.3f} s")
    if loser.returncode != LOCKED:
        outcome.breach(f"pair {number}: the other ended with {loser.returncode}: {loser.log}")
    if f"held by pid {winner.pid} (rewards serve)" not in loser.log:
        outcome.breach(f"pair {number}: pid {winner.pid} holds, not named in: {loser.log}")
    if not wait_for(lambda: is_alive(place), within=5) or winner.poll() is not None:
        outcome.breach(f"pair {number}: the one that is left does not serve: {winner.log[-500:]}")
