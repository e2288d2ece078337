#!/usr/bin/env python3
"""Connects the demo, whose users also buy in a shop, to the app's documents as a new operator does, and compares both.

    demo_test.py PROGRAM [--demo FOLDER]

FOLDER holds a finished demo, which stays as it is; without it one is played. At the end each document holds what its user
bought and all that the ledger gave, and the audit says that all agree. Then documents are broken, one by one: the audit must name that
user and what is wrong, and what the page on the relay says must mend it.

All programs live in the demo's own time, by a clock that is wrong as far as the machine knows; that takes a C compiler.
"""

import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from google.cloud.firestore_v1 import DELETE_FIELD, Increment

from Shared.civil import HOUR, day_at, parse, show
from Shared.installation import Installation
from Shared.ledger import Reader
from Shared.program import Failed, arguments, json_lines
from Shared.service import Service, end_all
from Shared.tools import wrong_clock
from Shared.waiting import wait_until
from Store.app import App
from Store.compare import Comparison
from Store.firestore import same
from Store.front import Front
from Store.levels import lifted
from Store.owed import MISSIONS, Owed, Sums


class Shop:
    """The app, which has done all that the ledger was told of the shop."""

    def __init__(self, front: Front, records: list[dict]):
        self.app = App(front.store, seed=1)
        self.store = front.store
        self.names = {record["user"]: self.store.name("Users", f"document-{record['user']}")
                      for record in records if record["type"] == "user"}
        for user, name in self.names.items():
            self.app.create(name, newcomer(user, front.now()))
        self.credits = [record for record in records if record["type"] == "credit"]
        for credit in self.credits:
            self.buy(self.names[credit["user"]], credit)

    def buy(self, name: str, credit: dict) -> None:
        """One order."""
        fields = self.store.fields(name)
        level, exp = lifted(fields["Level"], fields["TotalExp"] + credit["exp"])
        changes = {"ShopPoints": fields["ShopPoints"] + credit.get("points", 0), "Level": level, "TotalExp": exp,
                   "OwnedItems": list(dict.fromkeys([*fields["OwnedItems"], *credit["items"]]))}
        if credit.get("boosterDays"):
            end = max(parse(credit["effective"]), int(fields["ExpBoosterEndDay"].timestamp())) + credit["boosterDays"] * 24 * HOUR
            changes["ExpBoosterEndDay"] = datetime.fromtimestamp(end, timezone.utc)
        self.app.update(name, changes)


def newcomer(user: str, now: float) -> dict:
    """A document of somebody who has nothing, and has just opened the app."""
    never = datetime.fromtimestamp(0, timezone.utc)
    return {"UserID": user, "ShopPoints": 0, "TotalExp": 0, "Level": 1, "OwnedItems": [], "ExpBoosterEndDay": never,
            "ConsecutiveLogin": 0, "TotalLogin": 0, "LastLogin": datetime.fromtimestamp(now, timezone.utc), "DailyReward": True, "MissionRewards": [True] * len(MISSIONS)}


@dataclass(frozen=True)
class Breakage:
    """Something that happens to a document: what, what the audit says, and the command that mends it, with the line that it is given."""

    what: str
    changes: Callable[[dict], dict]
    state: str
    told: str
    remedy: tuple[str, ...]
    given: dict | None = None


def older_copy(fields: dict) -> dict:
    """The changes that make a document as it was nine points ago."""
    return {"ShopPoints": Increment(-9), "Rewards": fields["Rewards"] | {"points": fields["Rewards"]["points"] - 9}}


BREAKAGES = [
    Breakage("an older copy of the document was put back", older_copy,
             "missed", "ShopPoints +9", ("relay", "replay", "--user", "{user}", "--sink", "store")),
    Breakage("the record is gone", lambda _: {"Rewards": DELETE_FIELD},
             "stopped", "", ("relay", "replay", "--user", "{user}", "--as", "written", "--sink", "store")),
    Breakage("the app took points and told nobody", lambda _: {"ShopPoints": Increment(-7)},
             "unexplained", "ShopPoints is", ("ingest", "-"),
             {"kind": "credit", "points": -7, "id": "late-order"}),
]


class Demo:
    """The demo's folder, with a sink of the app's store."""

    def __init__(self, program: Path, folder: Path):
        text = (folder / "rewards.json").read_text()
        settings = json.loads(re.sub(r"(?m)^\s*//.*$", "", text))
        self.front = Front(seed=1, rate=0)
        settings["relay"]["store"] = {"kind": "firestore", "credentials": {"file": "./account.json"}, "endpoint": self.front.url,
                                      "everySeconds": 0}
        self.place = Installation(program, folder, settings)
        self.place.write("account.json", self.front.account(), mode=0o600)
        records = list(Reader(self.place.ledger))
        self.zones = {record["user"]: record["zone"] for record in records if record["type"] == "user"}
        self.live_at(parse(records[-1]["at"]) + 1)
        self.shop = Shop(self.front, records)
        self.names = self.shop.names

    def live_at(self, now: int) -> None:
        """From now on it is that time for every program of the demo, and for Google."""
        self.skew = now - int(time.time())
        wrong = self.place.write("skew", f"{self.skew}\n")
        self.place.environment |= {"LD_PRELOAD": str(wrong_clock(self.place.folder)), "WRONG_CLOCK": str(wrong)}
        self.front.now = lambda: self.now() + 1

    def now(self) -> float:
        """What time it is there."""
        return time.time() + self.skew

    def fields(self, user: str) -> dict:
        """A user's document."""
        return self.front.store.fields(self.names[user])

    def written(self, user: str) -> dict:
        """What a document says was written."""
        rewards = self.fields(user).get("Rewards", {})
        return {name: set(rewards.get(name, ())) if name == "items" else rewards.get(name, 0) for name in Sums().written()}

    def serve(self, *words: str, given: str = "") -> None:
        """Runs the service, and a command beside it, until the sink has nothing left to do."""
        service = Service(self.place)
        service.wait_until_it_answers()
        if words:
            self.place.run(*words, given=given)
        wait_until(self.is_done, "all is written", every=0.2)
        if service.stop():
            raise Failed(f"the service ended with {service.returncode}: {service.log[-1500:]}")

    def is_done(self) -> bool:
        """Whether no user waits for anything."""
        sinks = self.place.run("relay", "status", "--format", "json", codes=None).document["sinks"]
        return any(sink["sink"] == "store" and sink["waiting"] == sink["behind"] == 0 for sink in sinks)

    def compare(self) -> Comparison:
        """Every write and every document, beside the ledger."""
        owed = Owed(self.place.ledger).read()
        comparison = Comparison(owed, {name: user for user, name in self.names.items()}, collected=False,
                                today=lambda user: str(day_at(self.zones[user], int(self.now()))))
        comparison.follow(self.front.store.history)
        for name in self.names.values():
            comparison.settle(name, self.front.store.fields(name), [change for change in self.front.store.history if change.name == name])
        return comparison

    def audit(self) -> dict:
        """What the audit says of the store."""
        document = self.place.run("audit", "--against", "store", "--format", "json", codes=(0, 1)).document
        return next(check for check in document["checks"] if check["name"] == "app's store")


def play(program: Path, demo: Path | None, folder: Path) -> str:
    """The whole test, in a folder of its own."""
    here = folder / "demo"
    if demo:
        shutil.copytree(demo, here, ignore=shutil.ignore_patterns("*.sock"))
    else:
        Installation(program, folder, {}).run("demo", "--data", str(here), seconds=900)
    scene = Demo(program, here)
    try:
        return run(scene)
    finally:
        end_all()
        scene.front.close()


def run(demo: Demo) -> str:
    """Writes, compares, breaks and mends."""
    demo.serve()
    comparison = demo.compare()
    agree(demo, comparison)
    must_differ(demo)
    users = [user for user in demo.names if demo.written(user)["points"] > 20]
    for breakage, user in zip(BREAKAGES, users):
        break_and_mend(demo, breakage, user)
    owed = comparison.owed
    return (f"{len(demo.names)} documents with {sum(owed.of(user).now.points for user in demo.names)} points equal the ledger, at "
            f"{owed.head} lines, beside {len(demo.shop.credits)} orders in the shop; {comparison.writes} writes; "
            f"{len(BREAKAGES)} broken documents were named and mended")


def agree(demo: Demo, comparison: Comparison) -> None:
    """Everything is equal, by this test and by the audit."""
    if comparison.differences or demo.front.flaws:
        raise Failed("\n  ".join(["documents differ", *comparison.differences, *demo.front.flaws]))
    check = demo.audit()
    if not check["passed"] or check["note"] != f"store: {len(demo.names)} agrees" or check["examined"] != len(demo.names):
        raise Failed(f"the audit says {check['note']}, not that all {len(demo.names)} agree: {check['findings'][:3]}")


def must_differ(demo: Demo) -> None:
    """A point that nobody gave, and of which the app's own history knows nothing, is a difference."""
    user = next(iter(demo.names))
    reference = demo.front.store.reference(demo.names[user])
    reference.update({"ShopPoints": Increment(1)})
    kinds = demo.compare().kinds
    reference.update({"ShopPoints": Increment(-1)})
    if kinds != Counter({"ShopPoints": 1}):
        raise Failed(f"one point too many of {user} is seen as {dict(kinds)}")


def break_and_mend(demo: Demo, breakage: Breakage, user: str) -> None:
    """The audit names the user and the state, and then all is well again."""
    whole = demo.fields(user)
    demo.shop.app.update(demo.names[user], breakage.changes(whole))
    check = demo.audit()
    found = [(finding["user"], finding["text"]) for finding in check["findings"]]
    if len(found) != 1 or found[0][0] != user or f"store, {breakage.state}: " not in found[0][1] or breakage.told not in found[0][1]:
        raise Failed(f"{breakage.what}, of {user}, and the audit says {found}, {check['note']}")
    given = json_lines([breakage.given | {"user": user, "at": show(demo.now())}]) if breakage.given else ""
    demo.serve(*(word.format(user=user) for word in breakage.remedy), given=given)
    check = demo.audit()
    if check["note"] != f"store: {len(demo.names)} agrees":
        raise Failed(f"{breakage.what}, of {user}; {' '.join(breakage.remedy).format(user=user)} does not mend it: {check['note']}, {check['findings']}")
    now = demo.fields(user)
    if not breakage.given and not same(without_position(whole), without_position(now)):
        raise Failed(f"{breakage.what}, of {user}; mended it is {now}, not {whole}")


def without_position(fields: dict) -> dict:
    """The fields without how far the ledger was read; without a record nothing would say what was written."""
    return fields | {"Rewards": fields.get("Rewards", {}) | {"position": 0}}


def main() -> int:
    """The script; returns the exit code."""
    parser = arguments(__doc__)
    parser.add_argument("--demo", type=Path, metavar="FOLDER", help="a finished demo, instead of a new one")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rewards-demo-") as folder:
        try:
            print(f"passed the demo's store: {play(chosen.program, chosen.demo, Path(folder))}")
            return 0
        except Failed as error:
            print(f"FAILED the demo's store: {error}")
            return 1


if __name__ == "__main__":
    sys.exit(main())
