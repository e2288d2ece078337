#!/usr/bin/env python3
"""Kills the service while it writes into the app's documents, lets answers get lost, and compares every document with the ledger.

    sink_test.py PROGRAM [--seed N] [--minutes M | --commits N --kills K] [--model [FLAW] | --self-test]

Without a size it runs for about a minute. The full size is --commits 10000 --kills 200. While the service runs, an app changes the
same documents, users do things, operators give and take back. At the end all comes to rest: each document must hold what it began
with, what the app did, and what the ledger owes, and each single write the difference between its two positions.

With --model, a sink of a few lines of Python stands in for the program's, with one of these flaws or with none; --self-test expects that
each of them is found:

"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from google.cloud.firestore_v1 import DELETE_FIELD
from google.cloud.firestore_v1._helpers import pb_for_delete
from google.cloud.firestore_v1.types import CommitRequest

from Relay.place import Place, check, passes
from Shared import control
from Shared.civil import show
from Shared.ledger import Reader
from Shared.program import Failed, arguments
from Shared.waiting import wait_for, wait_until
from Store import model
from Store.app import App, newcomer
from Store.compare import Comparison
from Store.faults import COMMIT_FAULTS, READ_FAULTS, TOKEN_FAULTS
from Store.feed import Feed, morning_zone
from Store.firestore import DOCUMENT_LIMIT, Refused, document_size, same
from Store.front import SINK, Front
from Store.owed import Owed, Sums

USERS, DAYS = 40, 20
# Users by number who have a document of a special kind; of all others, every fourth is found by a query.
WRONG_LEVEL, WRONG_ITEMS, WRONG_REWARDS, LARGE, BRIMFUL, BARE, LATE, LATER, LAST, MADE_ANEW, MADE_ANEW_ELSEWHERE = range(11)
# Their documents need a person before anything can be written.
STUCK = {WRONG_LEVEL: ("Level", "3", 3), WRONG_ITEMS: ("OwnedItems", "none", []), WRONG_REWARDS: ("Rewards", [1], None),
         BRIMFUL: ("Padding", None, "")}
REST_SECONDS, MODEL_REST_SECONDS = 60, 20


class Home(Place):
    """The installation, which tells less of its inbox."""

    def story(self):
        status = "" if "store" not in self.settings.get("relay", {}) else self.run("relay", "status", codes=None).out
        return f"{self.service.log[-3000:] if self.service else ''}\n{status}"


class World:
    """The installation, Google's front, the app, and what goes on."""

    def __init__(self, program, seed, stand_in):
        self.dice = random.Random(f"world {seed}")
        self.stand_in = stand_in
        self.front = Front(seed)
        self.store = self.front.store
        self.place = Home(program, users=USERS)
        zone, self.hours = morning_zone()
        self.feed = Feed(self.place, self.place.users, self.hours, DAYS, seed)
        self.app = App(self.store, seed)
        self.names = {user: self.store.name("Users", f"{user}-{self.dice.getrandbits(60):x}") for user in self.place.users}
        self.lines = [{"user": user, "timezone": zone, "since": str(self.feed.today - timedelta(days=DAYS)),
                       **({} if self.is_queried(number) else {"account": self.names[user].rsplit("/", 1)[-1]})}
                      for number, user in enumerate(self.place.users)]
        self.sink = {"kind": "firestore", "credentials": {"file": "./account.json"}, "collection": "Users", "endpoint": self.front.url,
                     "everySeconds": 0, "timeoutSeconds": self.front.timeout}
        self.place.write("account.json", self.front.account(), mode=0o600)
        self.processes = []
        self.kills = self.wipes = self.replays = 0
        for number, user in enumerate(self.place.users):
            if number not in (LATE, LATER, LAST):
                self.make(number, user)

    def is_queried(self, number):
        """Whether the roster does not say which document the user has."""
        return number == MADE_ANEW_ELSEWHERE or number > MADE_ANEW_ELSEWHERE and number % 4 == 0

    def make(self, number, user):
        """Saves a user's document, of the user's kind."""
        name, fields = self.names[user], newcomer(user, self.dice)
        if number == BARE:
            fields = {"UserID": user}
        if number in (LARGE, BRIMFUL):
            room = DOCUMENT_LIMIT - document_size(f"Users/{name.rsplit('/', 1)[-1]}", fields) - len("Padding") - 2
            fields["Padding"] = "x" * (room - (100 if number == BRIMFUL else 4_000))
        if number in STUCK and number != BRIMFUL:
            fields[STUCK[number][0]] = STUCK[number][1]
        try:
            self.app.create(name, fields)
        except Refused as error:
            raise Failed(f"somebody else has made the document of {user}: {error}") from None
        if number in STUCK:
            self.app.quiet.add(name)

    def begin(self):
        """Brings the users in, and begins to serve."""
        if self.stand_in is None:
            self.place.begin({"store": self.sink}, self.lines)
        else:
            self.place.begin({}, [{name: value for name, value in line.items() if name != "account"} for line in self.lines])
            self.place.write("store.json", json.dumps({"store": self.sink, "users": self.lines, "hours": self.hours}))
        self.serve()
        # Times have whole seconds here: a deed must not seem to come before its user.
        time.sleep(1.1)
        self.app.start()
        self.feed.start()

    def serve(self):
        """Starts the service."""
        self.place.serve()
        if self.stand_in is not None:
            words = [sys.executable, Path(model.__file__), self.place.folder, *([self.stand_in] if self.stand_in else [])]
            self.processes = [subprocess.Popen(words, stdin=subprocess.DEVNULL)]

    def kill(self):
        """Ends the service as a power failure would, now and then with everything that the relay has noted, and starts it again."""
        self.end_stand_in()
        self.place.service.kill()
        self.kills += 1
        if self.dice.random() < 0.1:
            shutil.rmtree(self.place.data / "relay" / "store", ignore_errors=True)
            self.wipes += 1
        self.serve()

    def end_stand_in(self):
        """Ends the model, if there is one."""
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []

    def disturb(self, progress):
        """What happens once in a run, by how much of it is over: documents come late, or go and come again."""
        for due, act in list(self.acts):
            if progress >= due:
                act()
                self.acts.remove((due, act))

    @property
    def acts(self):
        if not hasattr(self, "_acts"):
            user = self.place.users.__getitem__
            self._acts = [(0.2, lambda: self.make(LATE, user(LATE))), (0.6, lambda: self.make(LATER, user(LATER))),
                          (0.4, lambda: self.delete(MADE_ANEW)), (0.45, lambda: self.make(MADE_ANEW, user(MADE_ANEW))),
                          (0.5, lambda: self.delete(MADE_ANEW_ELSEWHERE)), (0.55, self.make_elsewhere),
                          (0.3, self.front.revoke), (0.7, self.front.revoke)]
        return self._acts

    def delete(self, number):
        """Somebody deletes the account."""
        name = self.names[self.place.users[number]]
        with self.store.lock:
            self.app.names.remove(name)
            self.store.commit(CommitRequest(writes=[pb_for_delete(name, None)]))

    def make_elsewhere(self):
        """The user signs in anew, and so has another document."""
        user = self.place.users[MADE_ANEW_ELSEWHERE]
        self.names[user] += "x"
        self.make(MADE_ANEW_ELSEWHERE, user)

    def replay(self):
        """Has documents written again that were written: nothing may come of it."""
        if self.stand_in is None:
            for user in self.dice.sample(self.place.users, 3):
                try:
                    control.send(self.place, "relay replay", {"user": user, "dead": False, "sink": "store"})
                    self.replays += 1
                except control.NoAnswer:
                    pass

    # The end.

    def rest(self):
        """Lets all come to an end in a world without faults; those who need a person get one last."""
        self.app.stop()
        self.feed.stop()
        self.front.faults.rate = 0
        users = self.place.users
        self.make(LAST, users[LAST])
        self.resume()
        stuck = {users[number] for number in STUCK}
        anew = set() if self.stand_in is not None else {users[number] for number in (MADE_ANEW, MADE_ANEW_ELSEWHERE)}
        self.wait(set(users) - stuck - anew)
        for number, (field, wrong, _) in STUCK.items():
            fields = self.store.fields(self.names[users[number]])
            check("Rewards" not in fields or number == WRONG_REWARDS, f"{users[number]}, whose {field} is wrong, was written to: {fields.get('Rewards')}")
            check(wrong is None or fields[field] == wrong, f"the wrong {field} of {users[number]} is gone")
        # Whose document is another one than was written to, unless that was forgotten.
        anew = {user for user in anew if "Rewards" not in self.store.fields(self.names[user])}
        self.told(stuck | anew)
        for number, (field, _, right) in STUCK.items():
            self.app.update(self.names[users[number]], {field: DELETE_FIELD if right is None else right})
        if self.stand_in is None:
            self.place.run("relay", "replay", "--dead", "--sink", "store")
            for user in anew:
                self.place.run("relay", "replay", "--user", user, "--as", "new", "--sink", "store")
        else:
            self.kill()
        self.wait(set(users))
        self.replayed()

    def told(self, users):
        """Each of these is among the dead letters, and nobody else; each with a reason."""
        if self.stand_in is not None:
            return
        letters = self.place.run("relay", "dead", "--sink", "store", "--format", "json", codes=None).document["dead"]
        dead = {letter["user"] for letter in letters}
        check(users <= dead, f"not told of {users - dead}, who need a person: {letters[:3]}")
        self.reasons = sorted({letter["reason"].split(": ", 1)[-1][:150] for letter in letters if letter["reason"]})
        # Others are there from a time when something was wrong with an answer; that is looked at, and no promise.
        self.others_dead = sorted(dead - users)

    def resume(self):
        """An operator does not wait for the next attempts."""
        if self.stand_in is None:
            try:
                control.send(self.place, "relay resume", {"sink": "store"})
            except control.NoAnswer:
                pass

    def wait(self, users):
        """Waits until all these have what the ledger owes."""
        owed = self.owed(allow_tail=True)
        late = lambda: [user for user in sorted(users) if self.written(user) != owed.of(user).now.written()]
        within = REST_SECONDS if self.stand_in is None else MODEL_REST_SECONDS
        end = time.monotonic() + within
        while late() and time.monotonic() < end:
            # A user without a document is looked for again after ten minutes; and it may have come since the last look.
            self.resume()
            wait_for(lambda: not late(), 5, 0.2)
        if late():
            told = [f"{user}: {self.written(user)}, not {owed.of(user).now}" for user in late()]
            raise Failed(f"not within {within} s: {len(told)} of {len(users)} are behind: {[user.split(':')[0] for user in told]}, as {told[:3]}")

    def written(self, user):
        """What a user's document says was written."""
        rewards = (self.store.fields(self.names[user]) or {}).get("Rewards")
        if not isinstance(rewards, dict):
            return Sums().written()
        return {name: set(rewards.get(name, ())) if name == "items" else rewards.get(name, 0) for name in Sums().written()}

    def owed(self, allow_tail=False):
        """The ledger's sums."""
        owed = Owed(self.place.ledger)
        for record in Reader(self.place.ledger, allow_tail):
            owed.take(record)
        return owed

    def replayed(self):
        """Nothing comes of a replay of everything, nor of progress that was lost; only flags that the app set anew are set again."""
        before = {user: without_flags(self.store.fields(name)) for user, name in self.names.items()}
        if self.stand_in is None:
            for user in before:
                self.place.run("relay", "replay", "--user", user, "--sink", "store")
        self.kill()
        time.sleep(3)
        for user, fields in before.items():
            now = without_flags(self.store.fields(self.names[user]))
            check(same(fields, now), f"{user} was written to again although nothing is owed: {difference(fields, now)}")

    def compare(self):
        """Stops, and looks at everything."""
        self.end_stand_in()
        self.place.stop()
        self.place.run("ledger", "verify")
        users = {name: user for user, name in self.names.items()}
        # The document that was deleted for good has its user too.
        users |= {name.removesuffix("x"): user for name, user in users.items() if name.endswith("x")}
        today = str(self.feed.today)
        comparison = Comparison(self.owed(), users, self.sink.get("collectedValue", False), today)
        comparison.follow(self.store.history)
        for name in self.names.values():
            comparison.settle(name, self.store.fields(name), [change for change in self.store.history if change.name == name])
        found = {f"{len(self.front.flaws)} requests that nobody should send": self.front.flaws,
                 f"differences {dict(comparison.kinds)}": comparison.differences, "failures of the app": self.app.failures,
                 "refusals of the service": self.feed.problems}
        check(not any(found.values()), "\n".join(f"{what}\n  " + "\n  ".join(several[:20]) for what, several in found.items() if several))
        self.check_secrets()
        return comparison

    def check_secrets(self):
        """No log has a token or a key."""
        told = "".join(path.read_text(errors="replace") for path in [*self.place.folder.glob("serve-*.log"), *(self.place.data / "relay").rglob("*")]
                       if path.is_file())
        check("ya29." not in told and "PRIVATE KEY" not in told, "a secret is in a log")

    def story(self):
        """What there is to see when something went wrong."""
        counts = self.front.counts
        return f"{dict(sorted(counts.items()))}\n{[str(error)[:200] for error in self.front.refusals[-5:]]}"


def without_flags(fields):
    """The fields but flags, and the position at which these were set."""
    fields = {name: value for name, value in fields.items() if name not in ("MissionRewards", "DailyReward")}
    if "Rewards" in fields:
        fields["Rewards"] = fields["Rewards"] | {"position": 0}
    return fields


def difference(one, other):
    """The fields in which two documents differ."""
    return {name: (one.get(name), other.get(name)) for name in {*one, *other} if one.get(name) != other.get(name)}


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
        # The kills are spread over the run; within a second of each other, some of them in the midst of a start.
        if world.kills < kills and world.kills <= progress * kills:
            world.kill()
            if dice.random() < 0.1:
                time.sleep(dice.uniform(0, 0.3))
        time.sleep(dice.uniform(0.05, 0.6))
        check(world.place.service.poll() is None, f"the service has ended: {world.place.service.log[-2000:]}")
        check(all(process.poll() is None for process in world.processes), "the model has ended")
        check(not commits or time.monotonic() - began < commits * 2 + 600, f"too slow: {counts['commits']} commits")
    wrought = time.monotonic() - began
    world.disturb(1)
    world.rest()
    comparison = world.compare()
    front = world.front
    return (f"{counts['commits']} commits with {counts['writes']} writes in {wrought:.0f} s, {sum(world.app.acts.values())} acts of the app, "
            f"{world.kills} kills, {world.wipes} with lost progress, {front.lost()} lost answers, {counts['expired tokens']} expired tokens, "
            f"{sum(value for name, value in counts.items() if 'refused as' in name)} refusals, {world.replays} replays; "
            f"{comparison.writes} writes and {USERS} documents equal the ledger, at {comparison.owed.head} lines\n"
            f"  {dict(sorted(counts.items()))}\n  {dict(world.feed.acts)}")


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
    kills = chosen.kills if chosen.kills is not None else chosen.commits // 50 or round(chosen.minutes * 20)
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
