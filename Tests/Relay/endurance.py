#!/usr/bin/env python3
"""Minutes of service with three sinks of which one fails in turn, killed again and again while deeds come in every second.

    endurance.py PROGRAM [--minutes N] [--kills N]

Every event reaches every sink at least once, each user's in order, with the same id and bytes on every attempt; what was given
up comes by `relay replay --dead`.
"""

import random
import sys
import time
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Relay.place import SECRETS, Place, check, play
from Relay.pushservice import Google
from Relay.receiver import Receiver, parsed
from Relay.relay import FILE, in_order
from Shared.waiting import wait_until

KINDS = ["comment", "share", "purchase"]
# Ticks between two deeds of a user; a tick takes a second.
APART = 5
USERS_A_TICK = 8


def configured(program, ticks, receivers, google):
    place = Place(program, users=0)
    place.users = [f"u{number}" for number in range(ticks * USERS_A_TICK)]
    lines = [{"user": user, "timezone": "UTC", "deviceToken": f"d-{user}"} for user in place.users]
    place.begin(sinks(place, receivers, google, {"en": {"title": "{points}", "body": "{mission}"}}), lines)
    return place


def sinks(place, receivers, google, texts=None):
    """Two webhooks, pushes, and a file."""
    return {name: place.webhook(receiver.url, timeoutSeconds=2) for name, receiver in receivers.items()} | {
        "push": {**place.push(google, texts), "timeoutSeconds": 2}, "journal": FILE}


def deeds(place, tick):
    """The deeds of this second: some users' first, others' second and third."""
    for number, kind in enumerate(KINDS):
        first = (tick - number * APART) * USERS_A_TICK
        for user in place.users[max(0, first):max(0, first + USERS_A_TICK)]:
            yield {"user": user, "kind": kind, "id": f"{kind}-{user}"}


def unique(events):
    seen = set()
    return [event for event in events if not (event["id"] in seen or seen.add(event["id"]))]


def misbehave(phase, receivers, google):
    """Lets one sink fail in this phase, in a way of its own; the others are well."""
    failing = ["one", "two", "push"][phase % 3]
    for name, receiver in receivers.items():
        ways = ["broken", "drop", "busy", "elsewhere", "never"]
        receiver.manner = ways[phase // 3 % len(ways)] if name == failing else "well"
    google.manner = [400, 503, 429][phase // 3 % 3] if failing == "push" else "well"


def endure(program, minutes, kills):
    dice = random.Random(11)
    receivers = {"one": Receiver(SECRETS[:1]), "two": Receiver(SECRETS[:1])}
    google = Google()
    ticks = max(30, round(minutes * 60))
    place = configured(program, ticks, receivers, google)
    phases = max(3, ticks // 20)
    deaths = sorted(dice.sample(range(5, ticks - 5), kills))
    place.serve()
    # A deed must not seem to come before its user.
    time.sleep(1.1)
    began = time.monotonic()
    for tick in range(ticks):
        misbehave(tick * phases // ticks, receivers, google)
        place.tell(tick, deeds(place, tick))
        if tick in deaths:
            time.sleep(dice.random())
            place.service.kill()
            place.serve()
        time.sleep(max(0, began + tick + 1 - time.monotonic()))
    for receiver in receivers.values():
        receiver.manner = "well"
    google.manner = "well"
    for name in ["one", "two", "push"]:
        place.run("relay", "resume", name)
    granted = sum(len(place.users[:max(0, (ticks - number * APART) * USERS_A_TICK)]) for number in range(len(KINDS)))
    events = lambda: unique(parsed(place.folder / "events.jsonl"))
    wait_until(lambda: sum(event["data"].get("mission") in KINDS for event in events()) >= granted, "the last grant", 120)
    wait_until(place.is_done, "the last event", 420)
    dead = place.run("relay", "dead", "--sink", "push", "--format", "json", codes=None).document["dead"]
    check(dead, "nothing was given up: the run shows nothing of it")
    place.run("relay", "replay", "--dead", "--sink", "push")
    wait_until(lambda: {letter["event"] for letter in dead} <= {message["data"]["id"] for _, message in list(google.messages)},
               "the dead letters", 120)
    wait_until(place.is_done, "the last replay", 60)
    check(all(sink["deadLetters"] == 0 for sink in place.status().values()), f"dead letters are left: {place.status()}")
    place.run("audit", codes=(0, 1))
    place.run("ledger", "verify")
    place.stop()
    reference = events()
    ids = {event["id"] for event in reference}
    for name, receiver in receivers.items():
        in_order(receiver.firsts, reference, name)
        check(not receiver.flaws, f"{name}: {receiver.flaws[:3]}")
        check({found for found, _, _ in receiver.firsts} | set(receiver.failed) <= ids, f"{name} was sent other ids")
    pushed = {}
    for _, message in google.messages:
        pushed.setdefault(message["data"]["id"], (message["data"]["id"], None, None))
    again = {letter["event"] for letter in dead}
    grants = [event for event in reference if event["type"].endswith("granted.v1")]
    check(set(pushed) == {event["id"] for event in grants}, f"push got {len(pushed)} of {len(grants)} grants")
    # What was given up came later than what came after it: that is what giving up means.
    in_order([push for push in pushed.values() if push[0] not in again],
             [event for event in grants if event["id"] not in again], "push")
    check(not google.flaws, f"push: {google.flaws[:3]}")
    failed = {name: receiver.refused for name, receiver in receivers.items()} | {"push": google.refused}
    doubled = sum(receiver.deliveries - len(receiver.firsts) for receiver in receivers.values())
    return (f"{ticks} s, {kills} kills, {len(reference)} events to each sink, failed attempts {failed}, {doubled} doubled, "
            f"{len(dead)} dead letters replayed")


if __name__ == "__main__":
    sys.exit(play("endurance", __doc__, endure, minutes=10.0, kills=5))
