#!/usr/bin/env python3
"""Writes documents from a ledger in a PostgreSQL database, kills the service meanwhile, and has a user forgotten.

    forget_test.py PROGRAM

Commands come from a machine of their own, so that they reach the service by the database alone. In the end every document holds what
the ledger owes, nothing of the forgotten person is left in any table, and of all others everything is.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from datetime import date
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from Postgres.worlds import APART, are_apart
from Shared.civil import show
from Shared.installation import Installation
from Shared.places import Database, running_server
from Shared.program import Answer, Failed, arguments, json_lines
from Shared.service import Service, end_all
from Shared.waiting import wait_until
from Store.app import App, newcomer
from Store.compare import Comparison
from Store.firestore import same
from Store.front import Front
from Store.owed import Owed, Sums

PEOPLE = ["ann", "bob", *(f"person{number}" for number in range(10))]
ANN, BOB = "p0", "p1"
ZSTD = b"\x28\xb5\x2f\xfd"
# A lease, and a start.
SERVED_SECONDS = 60


def line_of(number: int, person: str) -> dict:
    """A roster line, under a pseudonym."""
    return {"user": f"p{number}", "apiUser": f"{person}-at-the-api", "timezone": "UTC", "account": f"document-of-{person}",
            "deviceToken": f"token-of-{person}"}


def traces(person: str) -> list[bytes]:
    """What leads to a person."""
    return [f"{person}-at-the-api".encode(), f"document-of-{person}".encode(), f"token-of-{person}".encode(), f"note of {person}".encode()]


class Scene(Installation):
    """An installation whose data lie in a database, with Google's front and an app."""

    def __init__(self, program: Path, folder: Path, place: Database):
        self.machine = APART if are_apart() else ()
        self.front = Front(seed=1, rate=0)
        self.app = App(self.front.store, seed=1)
        self.lines = [line_of(number, person) for number, person in enumerate(PEOPLE)]
        self.names = {line["user"]: self.front.store.name("Users", line["account"]) for line in self.lines}
        dice = random.Random(1)
        for line in self.lines:
            self.app.create(self.names[line["user"]], newcomer(line["apiUser"], dice))
        store = {"kind": "firestore", "credentials": {"file": "./account.json"}, "endpoint": self.front.url, "everySeconds": 0}
        super().__init__(program, folder, {
            "users": "./users.jsonl", "inbox": {"everySeconds": 1}, "admin": {"listen": "127.0.0.1:0"},
            "relay": {"store": store, "journal": {"kind": "file", "path": "./events.jsonl"}}}, place)
        self.write("account.json", self.front.account(), mode=0o600)
        self.write("users.jsonl", json_lines(self.lines))
        self.given = 0

    def apart(self, *words: str, given: str = "") -> Answer:
        """A command from a machine of its own."""
        return self.run(*words, given=given, machine=self.machine)

    def deeds(self) -> str:
        """Lines about everybody, one of which is wrong for each."""
        self.given += 1
        at = show(time.time())
        return json_lines(line for number, person in enumerate(PEOPLE) for line in (
            {"user": f"p{number}", "kind": "comment", "at": at, "id": f"c{self.given}", "note": f"note of {person}"},
            {"user": f"p{number}", "kind": "hum", "at": at, "note": f"note of {person}"}))

    def serve(self) -> Service:
        """A service that serves."""
        service = Service(self)
        wait_until(lambda: self.place.serving() or service.poll() is not None, "the service has the lease", SERVED_SECONDS)
        return service

    def log(self) -> str:
        """What the last service has told."""
        logs = sorted(self.folder.glob("serve-*.log"))
        return logs[-1].read_text() if logs else ""

    def owed(self) -> Owed:
        """What the ledger owes."""
        owed = Owed(Path())
        for record in self.place.lines():
            owed.take(record)
        return owed

    def wait(self, users: list[str]) -> None:
        """Waits until these have got what the ledger owes."""
        owed = self.owed()
        wait_until(lambda: all(self.written(user) == owed.of(user).now.written() for user in users), "all is written", SERVED_SECONDS, 0.2)

    def written(self, user: str) -> dict:
        """What a document says was written."""
        rewards = self.front.store.fields(self.names[user]).get("Rewards", {})
        return {name: set(rewards.get(name, ())) if name == "items" else rewards.get(name, 0) for name in Sums().written()}

    def compare(self) -> Comparison:
        """Compares every write and every document with the ledger; they must be equal."""
        history = self.front.store.history
        today = str(date.today())
        comparison = Comparison(self.owed(), {name: user for user, name in self.names.items()}, collected=False, today=lambda _: today)
        comparison.follow(history)
        for name in self.names.values():
            comparison.settle(name, self.front.store.fields(name), [change for change in history if change.name == name])
        if comparison.differences or self.front.flaws:
            raise Failed("\n  ".join(["documents differ", *comparison.differences, *self.front.flaws]))
        return comparison


def contents(place: Database) -> dict[str, bytes]:
    """All that stands in the database, by table or file, as it was before it was packed."""
    found: dict[str, bytes] = defaultdict(bytes)
    for table in place.ask("SELECT table_name FROM information_schema.tables WHERE table_schema = 'rewards'").splitlines():
        order = "ORDER BY shard, file, start" if table == "piece" else ""
        for text in place.ask(f"SELECT row_to_json(row) FROM (SELECT * FROM rewards.{table} {order}) row").splitlines():
            row = json.loads(text)
            name = f"{table} {row['file']}" if table == "piece" else table
            for value in row.values():
                is_bytes = isinstance(value, str) and value.startswith("\\x")
                found[name] += unpacked(bytes.fromhex(value[2:])) if is_bytes else f" {value} ".encode()
    return found


def unpacked(content: bytes) -> bytes:
    """Bytes as they were before Zstandard."""
    if not content.startswith(ZSTD):
        return content
    return subprocess.run(["zstd", "--decompress", "--stdout"], input=content, capture_output=True, check=True).stdout


def places(found: dict[str, bytes], person: str) -> dict[str, list[str]]:
    """Where each trace of a person stands."""
    return {trace.decode(): [name for name, content in found.items() if trace in content] for trace in traces(person)}


def play(scene: Scene) -> str:
    """The whole test."""
    scene.run("users", "import", "users.jsonl")
    # Times have whole seconds here: a deed must not seem to come before its user.
    time.sleep(1.1)
    scene.run("ingest", "-", given=scene.deeds(), codes=(1,))
    service = scene.serve()
    wait_until(lambda: scene.front.counts["commits"] > 0, "the first documents are written", SERVED_SECONDS)
    service.kill()
    service = scene.serve()
    scene.apart("users", "import", "-", given=json_lines(scene.lines))
    scene.place.put("inbox/incoming/deeds.jsonl", scene.deeds())
    for user in scene.names:
        scene.apart("grant", user, "--points", "7", "--reason", "thanks", "--id", "gift")
    wait_until(lambda: not scene.place.ask("SELECT name FROM rewards.file WHERE name LIKE 'inbox/incoming/%'"), "the inbox is read")
    scene.wait(list(scene.names))
    writes = scene.compare().writes
    # Ann's are all there, or the search below would prove nothing.
    found = places(contents(scene.place), "ann")
    if not found["document-of-ann"] or not found["note of ann"]:
        raise Failed(f"before ann is forgotten, traces are only in {found}")
    forgotten = scene.front.store.fields(scene.names[ANN])
    scene.apart("users", "forget", ANN, "--reason", "ticket 118")
    check_forgotten(scene, "while it is served")
    service.stop()
    check_forgotten(scene, "after a stop")
    service = scene.serve()
    scene.apart("grant", BOB, "--points", "5", "--reason", "thanks", "--id", "another")
    scene.wait([BOB])
    service.stop()
    check_forgotten(scene, "after another start")
    if not same(forgotten, scene.front.store.fields(scene.names[ANN])):
        raise Failed(f"the document of a forgotten user was written to: {scene.front.store.fields(scene.names[ANN])}")
    scene.compare()
    return (f"{writes} writes and {len(PEOPLE)} documents equal a ledger in a database, beside a kill; of a forgotten user nothing is "
            f"left, which was in {len({name for names in found.values() for name in names})} files of it before")


def check_forgotten(scene: Scene, when: str) -> None:
    """Nothing of Ann is left, and what is about Bob is there."""
    found = contents(scene.place)
    left = {trace: names for trace, names in places(found, "ann").items() if names}
    if left:
        raise Failed(f"{when}, of a forgotten user there is still {left}")
    others = places(found, "bob")
    if not others["document-of-bob"] or not others["note of bob"]:
        raise Failed(f"{when}, traces of another user are gone: {others}")
    roster = (scene.folder / "users.jsonl").read_bytes()
    if any(trace in roster for trace in traces("ann")):
        raise Failed(f"{when}, the roster still has a forgotten user")


def main() -> int:
    """The script; returns the exit code."""
    program = arguments(__doc__).parse_args().program
    with running_server("rewards-forget-") as (_, server), tempfile.TemporaryDirectory(prefix="rewards-forget-") as folder:
        scene = Scene(program, Path(folder), Database(program, server.folder, "forgets"))
        try:
            print(f"passed forgetting: {play(scene)}")
            return 0
        except Failed as error:
            print(f"FAILED forgetting: {error}\n{scene.log()}")
            return 1
        finally:
            end_all()
            scene.front.close()


if __name__ == "__main__":
    sys.exit(main())
