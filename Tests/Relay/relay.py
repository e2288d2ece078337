#!/usr/bin/env python3
"""Delivers to receivers that check by other people's libraries, that answer in every wrong way, and through kills.

    relay.py PROGRAM [--kills N]
"""

import argparse
import random
import sys
import time

from place import SECRETS, Broken, Place, check, wait
from receiver import HalfHandshake, Receiver, parsed

FILE = {"kind": "file", "path": "./events.jsonl"}


def in_order(firsts, reference, name):
    """Every event of `reference` came, those of each user in its order."""
    ids = [found for found, _, _ in firsts]
    missing = [event["id"] for event in reference if event["id"] not in set(ids)]
    check(not missing, f"{name} lacks {len(missing)} of {len(reference)} events, as {missing[:3]}")
    place = {found: number for number, found in enumerate(ids)}
    last = {}
    for event in reference:
        user = event.get("subject", "")
        now = place[event["id"]]
        check(now > last.get(user, -1), f"{name}: {event['id']} of {user} came out of order")
        last[user] = now


def unique(events):
    seen = set()
    return [event for event in events if not (event["id"] in seen or seen.add(event["id"]))]


def signed(program):
    """Two secrets while rotating; each event once; the test event; the answer of a refusal."""
    place, receiver = Place(program), Receiver(SECRETS)
    place.configure({"notify": place.webhook(receiver.url, previousSecret={"file": "./previous"}), "journal": FILE})
    place.run("users", "import", "users.jsonl")
    check("HTTP 204" in place.run("relay", "test", "notify").stdout, "the test event did not arrive")
    place.serve()
    place.deeds("comment")
    wait(lambda: len(parsed(place.path / "events.jsonl")) >= 2 * len(place.users), "the file's events")
    wait(lambda: len(receiver.firsts) > 2 * len(place.users), "the webhook's events")
    place.stop()
    reference = parsed(place.path / "events.jsonl")
    in_order(receiver.firsts, reference, "notify")
    check(receiver.deliveries == len(receiver.firsts), "something came twice although nothing failed")
    check(not receiver.flaws, f"flaws: {receiver.flaws[:3]}")
    check(place.status()["notify"]["waiting"] == 0, "something waits")
    key = next(event["id"] for event in reference if event["type"].endswith("granted.v1"))
    place.run("relay", "replay", key, "--sink", "notify")
    place.serve()
    wait(lambda: receiver.deliveries == len(receiver.firsts) + 1, "the replay")
    place.stop()
    check(not receiver.flaws, f"flaws: {receiver.flaws[:3]}")
    receiver.close()
    return f"{len(reference)} events, verified by standardwebhooks and cloudevents, one again by relay replay"


def wrong_ways(program):
    """Whatever one receiver does, the others get everything at once, and it gets everything later."""
    told = []
    for manner in ["broken", "busy", "elsewhere", "drop", "flood", "never", "drip"]:
        place, bad, good = Place(program, users=10), Receiver(SECRETS[:1]), Receiver(SECRETS[:1])
        bad.manner = manner
        place.configure({
            "bad": place.webhook(bad.url, timeoutSeconds=2), "good": place.webhook(good.url), "journal": FILE})
        place.run("users", "import", "users.jsonl")
        place.serve()
        place.deeds()
        wait(lambda: len(good.firsts) >= 20, f"the good sink's events beside {manner}")
        wait(lambda: bad.refused > 0, f"an attempt at {manner}")
        # The circuit opens: nobody is asked for ever.
        time.sleep(2)
        check(bad.refused <= 30, f"{manner}: {bad.refused} attempts in some seconds")
        bad.manner = "well"
        place.run("relay", "resume", "bad")
        reference = parsed(place.path / "events.jsonl")
        wait(lambda: len(bad.firsts) >= len(reference) or place.status()["bad"]["behind"] > 0, f"{manner} to go on")
        wait(lambda: len(bad.firsts) == len(reference), f"all events after {manner}", seconds=60)
        in_order(bad.firsts, reference, manner)
        check(not bad.flaws and not good.flaws, f"{manner}: {bad.flaws[:3]} {good.flaws[:3]}")
        place.stop()
        bad.close()
        good.close()
        told.append(manner)
    return ", ".join(told)


def handshake(program):
    """Half a TLS handshake costs its own sink a time-out."""
    place, half, good = Place(program, users=5), HalfHandshake(), Receiver(SECRETS[:1])
    place.configure({"half": place.webhook(half.url, timeoutSeconds=2), "good": place.webhook(good.url)})
    place.run("users", "import", "users.jsonl")
    place.serve()
    place.deeds()
    wait(lambda: len(good.firsts) >= 10, "the good sink's events")
    wait(lambda: place.status()["half"]["failures"] > 0, "a failure")
    place.stop()
    half.close()
    good.close()
    return "given up in time, the other sink untouched"


def gone(program):
    """410 pauses the sink through restarts, until somebody resumes it."""
    place, receiver = Place(program, users=5), Receiver(SECRETS[:1])
    receiver.manner = "gone"
    place.configure({"notify": place.webhook(receiver.url)})
    place.run("users", "import", "users.jsonl")
    place.serve()
    place.deeds()
    wait(lambda: place.status()["notify"]["paused"], "the pause")
    place.stop()
    receiver.manner = "well"
    place.serve()
    time.sleep(1)
    check(not receiver.firsts, "a paused sink was sent something")
    place.run("relay", "resume", "notify")
    wait(lambda: len(receiver.firsts) >= 10, "the events after the resume")
    place.stop()
    receiver.close()
    return "paused, and resumed"


def kills(program, count):
    """Three sinks, of which one fails in turn; the service is killed at random; nothing is lost, nothing out of order."""
    place = Place(program, users=30)
    receivers = [Receiver(SECRETS[:1]), Receiver(SECRETS[:1])]
    place.configure({"one": place.webhook(receivers[0].url), "two": place.webhook(receivers[1].url), "journal": FILE})
    place.run("users", "import", "users.jsonl")
    place.serve()
    dice = random.Random(410)
    ways = ["well", "broken", "drop", "well", "busy"]
    for number in range(count):
        receivers[number % 2].manner = ways[number % len(ways)]
        receivers[1 - number % 2].manner = "well"
        place.deeds(["comment", "purchase"][number % 2])
        time.sleep(1 + dice.random())
        place.kill()
        place.serve()
    for receiver in receivers:
        receiver.manner = "well"
    for name in ["one", "two"]:
        place.run("relay", "resume", name)
    wait(lambda: all(sink["waiting"] == 0 for sink in place.status().values()), "the last event", seconds=420)
    place.stop()
    reference = unique(parsed(place.path / "events.jsonl"))
    for name, receiver in zip(["one", "two"], receivers):
        in_order(receiver.firsts, reference, name)
        check(not receiver.flaws, f"{name}: {receiver.flaws[:3]}")
        check({found for found, _, _ in receiver.firsts} == {event["id"] for event in reference}, f"{name} has others")
    for name in ["one", "two", "journal"]:
        check(place.status()[name]["deadLetters"] == 0, f"{name} has dead letters")
    doubled = sum(receiver.deliveries - len(receiver.firsts) for receiver in receivers)
    for receiver in receivers:
        receiver.close()
    return f"{count} kills, {len(reference)} events at each of three sinks, {doubled} doubled"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=5)
    arguments = parser.parse_args()
    scenes = [("signed", signed), ("wrong ways", wrong_ways), ("half a handshake", handshake), ("gone", gone),
              ("kills", lambda program: kills(program, arguments.kills))]
    for name, scene in scenes:
        began = time.monotonic()
        try:
            told = scene(arguments.program)
        except Broken as error:
            print(f"FAILED {name}: {error}\n{Place.last.story()}", flush=True)
            return 1
        finally:
            Place.last.end()
        print(f"passed {name} ({time.monotonic() - began:.0f} s): {told}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
