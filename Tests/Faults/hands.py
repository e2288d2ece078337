"""Kills the service, and the commands that speak to it, while people give by hand, take back and give again.

Each act is repeated, as a person would, until it is acknowledged: by the service over its control socket, or by the command
itself while there is none. Passes when every gift stands once and every act counts once: by the ledger, by the balances, by the
audit, and in the sink, which tells of each gift and of its last reversal in their order.
"""

import json
import threading
import time

from Faults.contents import Contents
from Faults.place import Place, user_lines
from Shared.program import Failed
from Shared.service import Service
from Shared.waiting import wait_for

CLIENTS = 3
TRIES = 60


class Person:
    """Somebody who gives to one user, and knows what the user must have."""

    def __init__(self, place, number, random, gifts, outcome):
        self.place, self.random, self.gifts, self.outcome = place, random, gifts, outcome
        self.user = f"u{number}"
        self.points = 0
        # Whether each gift stands, by key.
        self.standing = {}
        self.thread = threading.Thread(target=self.work)

    def work(self):
        """Gives, and thinks better of some of it."""
        for number in range(self.gifts):
            name, points = f"{self.user}-{number}", self.random.randint(1, 9)
            self.insist("grant", self.user, "--points", str(points), "--reason", "thanks", "--id", name)
            key = f"{self.user}/manual/{name}"
            self.standing[key] = True
            self.points += points
            if self.random.random() < 0.5:
                self.insist("reverse", key, "--reason", "a mistake")
                self.standing[key] = False
                self.points -= points
                if self.random.random() < 0.5:
                    self.insist("reverse", key, "--undo", "--reason", "no mistake")
                    self.standing[key] = True
                    self.points += points

    def insist(self, *words):
        """Repeats a command until it is acknowledged; some are killed on the way."""
        for _ in range(TRIES):
            process = self.place.start(*words)
            if self.random.random() < 0.15:
                time.sleep(self.random.uniform(0, 0.05))
                process.kill()
                self.outcome.add("commands killed")
            _, errors = process.communicate(timeout=60)
            if process.returncode == 0:
                self.outcome.add("acknowledged")
                return
            if process.returncode in (64, 65):
                raise Failed(f"{' '.join(words)} was refused: {errors}")
            self.outcome.add("repeated")
        raise Failed(f"{' '.join(words)} was never acknowledged: {errors}")


def run(options, outcome):
    """Three people with 25 gifts each, at full size 300."""
    place = Place(options, outcome, relay=True)
    random = options.random(outcome.name)
    place.run("users", "import", "-", given=user_lines([f"u{number}" for number in range(CLIENTS)]))
    people = [Person(place, number, options.random(f"{outcome.name}/{number}"), options.size(25, 300), outcome)
              for number in range(CLIENTS)]
    for person in people:
        person.thread.start()
    while any(person.thread.is_alive() for person in people):
        service = start(place)
        if service is None:
            # A command is the writer just now.
            continue
        time.sleep(random.uniform(0, 0.3))
        service.kill()
        outcome.add("services killed")
        time.sleep(random.uniform(0, 0.1))
    for person in people:
        person.thread.join()
    check(place, people, outcome)


def start(place):
    """A service that answers; nil when it ended because a command holds the ledger."""
    service = Service(place)
    try:
        service.wait_until_it_answers()
    except Failed:
        if service.poll() == 75:
            return None
        raise
    return service


def check(place, people, outcome):
    """Compares what there is with what was acknowledged."""
    service = start(place)
    keys = {key for person in people for key in person.standing}
    if not wait_for(lambda: keys <= told(place)[0].keys()):
        outcome.breach(f"the sink was not told of {sorted(keys - told(place)[0].keys())[:5]}")
    if service.stop() != 0:
        outcome.breach("serve did not end well")
    granted, last = told(place)
    code, report = place.verify()
    if code != 0 or report["damage"]:
        outcome.breach(f"ledger verify ended with {code}: {report['damage'][:3]}")
    found = Contents(place.ledger)
    given = {key: count for key, count in found.keys.items() if "/manual/" in key}
    if given != dict.fromkeys(keys, 1):
        outcome.breach(f"gifts that do not stand once: {[k for k in keys | given.keys() if given.get(k) != 1][:5]}")
    for person in people:
        balance = place.run("balance", person.user, "--format", "json").document
        if balance["points"] != person.points:
            outcome.breach(f"{person.user} has {balance['points']} points and must have {person.points}")
        for key, stands in person.standing.items():
            if granted.get(key, 0) < 1 or last.get(key, True) != stands:
                outcome.breach(f"the sink was told of {key} {granted.get(key, 0)} times, and that it stands: {last.get(key)}")
    place.run("audit")


def told(place):
    """How often the sink was told of each gift, and whether it stands by the last that was told of it."""
    granted, stands = {}, {}
    for line in place.events.read_text().splitlines() if place.events.exists() else []:
        event = json.loads(line)
        key = event["data"].get("key", "")
        if event["type"].endswith("reward.granted.v1"):
            granted[key] = granted.get(key, 0) + 1
        elif event["type"].endswith("reward.reversed.v1"):
            if key not in granted:
                raise Failed(f"the sink was told that {key} was taken back before it was given")
            stands[key] = event["data"]["undone"]
    return granted, stands
