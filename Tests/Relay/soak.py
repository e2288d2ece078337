#!/usr/bin/env python3
"""Serves for half an hour with everything on and faults on, and watches descriptors and memory.

    soak.py PROGRAM [--minutes N] [--users N]

Users are polled each minute from an API that fails in every way, deeds come in every second, three sinks of which one fails in
turn get the events, metrics are scraped, a job reconciles every five minutes. After a third of the time, in which caches fill, no
descriptor and less than 1 MiB an hour may be gained.
"""

import json
import random
import sys
import time
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Relay.endurance import misbehave, sinks
from Relay.place import SECRETS, Place, check, play
from Relay.pushservice import Google
from Relay.receiver import Receiver
from Shared import control, servers
from Shared.civil import show
from Shared.waiting import free_port

ZONES = ["UTC", "Asia/Tokyo", "America/New_York", "Europe/Berlin"]
MIB_AN_HOUR = 1.0


class API(servers.Server):
    """The app's API: a third of the users has watched something today; every tenth answer is wrong in some way."""

    def __init__(self):
        self.dice = random.Random(7)
        self.asked = 0
        self.faults = 0
        super().__init__(Answer)
        self.serve()


class Answer(servers.Handler):
    def do_GET(self):
        self.server.asked += 1
        fault = self.server.dice.choice(["500", "429", "torn", "html", "drop"]) if self.server.dice.random() < 0.1 else None
        self.server.faults += fault is not None
        number = int(self.path.rsplit("u", 1)[-1])
        start = show(time.time() // 3600 * 3600)
        body = b"[]" if "watch" in self.path else b"{}"
        if "watch" in self.path and number % 3 == 0:
            body = json.dumps([{"subscribe_start_at": start, "subscribe_end_at": start}]).encode()
        status = {"500": 500, "429": 429}.get(fault, 200)
        if fault == "torn":
            body = body[:-1]
        if fault == "html":
            body = b"<html>" + b"x" * 100_000
        if fault == "drop":
            self.close_connection = True
            return
        self.answer(status, body, {"Retry-After": "1"} if status == 429 else {})


def configured(program, users, api, receivers, google):
    place = Place(program, users=users)
    lines = [{"user": user, "timezone": ZONES[number % len(ZONES)], "deviceToken": f"d-{user}"}
             for number, user in enumerate(place.users)]
    place.write("jobs/often.json", json.dumps({"name": "often", "schedule": "*/5 * * * *", "timeZone": "UTC", "do": ["reconcile"]}))
    place.write("token", "the token of the soak\n", mode=0o600)
    place.admin = free_port()
    place.begin(sinks(place, receivers, google), lines,
                api={"baseURL": f"{api.url}/api/v1", "token": {"file": "./token"}}, poll={"everyMinutes": 1},
                atRisk={"minutesBefore": 180, "length": 1}, admin={"listen": f"127.0.0.1:{place.admin}"})
    return place


def deeds(place, tick):
    """The deeds of a few users: most of them are known already."""
    for number, kind in enumerate(["login", "comment", "share", "purchase", "follow"]):
        yield {"user": place.users[(tick * 7 + number) % len(place.users)], "kind": kind}


def sample(pid):
    """Open descriptors and resident MiB, of which files that are mapped are no part."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return len(list(Path(f"/proc/{pid}/fd").iterdir())), int(fields["RssAnon"].split()[0]) / 1024


def slope(points):
    """MiB an hour, by least squares over (seconds, MiB)."""
    count = len(points)
    mean = [sum(point[axis] for point in points) / count for axis in range(2)]
    spread = sum((x - mean[0]) ** 2 for x, _ in points)
    return 3_600 * sum((x - mean[0]) * (y - mean[1]) for x, y in points) / spread


def soak(program, minutes, users):
    api, google = API(), Google()
    receivers = {"one": Receiver(SECRETS[:1]), "two": Receiver(SECRETS[:1])}
    place = configured(program, users, api, receivers, google)
    place.serve()
    time.sleep(1.1)
    began = time.monotonic()
    ticks = round(minutes * 60)
    points, descriptors = [], []
    for tick in range(ticks):
        misbehave(tick // 20, receivers, google)
        place.tell(tick, deeds(place, tick))
        if tick % 5 == 0:
            for page in ("/metrics", "/healthz"):
                status, _ = control.ask(place.admin, page)
                check(status == 200, f"{page}: {status}")
            if tick >= ticks // 3:
                count, mib = sample(place.service.pid)
                descriptors.append(count)
                points.append((time.monotonic() - began, mib))
        if tick % 300 == 299:
            for name in ["one", "two", "push"]:
                place.run("relay", "resume", name)
        time.sleep(max(0, began + tick + 1 - time.monotonic()))
    check(place.service.poll() is None, "the service has ended")
    place.stop()
    place.run("ledger", "verify")
    place.run("audit", codes=(0, 1))
    third = len(descriptors) // 3
    # Connections come and go: what counts is whether their number grows.
    early, late = max(descriptors[:third]), max(descriptors[-third:])
    gained = slope(points)
    # A leak goes straight on; what fills (caches of each thread, holes between blocks) flattens.
    curve = " ".join(f"{points[index * (len(points) - 1) // 8][1]:.1f}" for index in range(9))
    told = (f"{minutes:g} minutes, {users} users, {api.asked} requests, {api.faults} with a fault; descriptors at most "
            f"{early}, then {late}; memory {curve} MiB, {gained:+.2f} MiB/h, in the last third "
            f"{slope(points[-len(points) // 3:]):+.2f}")
    check(late <= early, f"descriptors are gained: {told}")
    check(gained < MIB_AN_HOUR, f"memory is gained: {told}")
    return told


if __name__ == "__main__":
    sys.exit(play("soak", __doc__, soak, minutes=30.0, users=500))
