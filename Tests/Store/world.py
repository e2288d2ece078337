"""One run: the installation, Google's front, an app, users and operators, and the comparison at the end."""

import json
import random
import shutil
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from google.cloud.firestore_v1 import DELETE_FIELD
from google.cloud.firestore_v1._helpers import pb_for_delete
from google.cloud.firestore_v1.types import CommitRequest

from Relay.place import Place, check
from Shared import control
from Shared.ledger import Reader
from Shared.program import Failed
from Shared.service import Service
from Shared.waiting import wait_for, wait_until
from Store import model
from Store.app import App, newcomer
from Store.compare import Comparison
from Store.feed import Feed, morning_zone
from Store.firestore import DOCUMENT_LIMIT, Refused, document_size, same
from Store.front import Front
from Store.owed import Owed, Sums

USERS, DAYS = 40, 20
# Users by number who have a document of a special kind; of all others, every fourth is found by a query.
WRONG_LEVEL, WRONG_ITEMS, WRONG_REWARDS, LARGE, BRIMFUL, BARE, LATE, LATER, LAST, MADE_ANEW, MADE_ANEW_ELSEWHERE = range(11)
# Their documents need a person before anything can be written.
STUCK = {WRONG_LEVEL: ("Level", "3", 3), WRONG_ITEMS: ("OwnedItems", "none", []), WRONG_REWARDS: ("Rewards", [1], None),
         BRIMFUL: ("Padding", None, "")}
REST_SECONDS, MODEL_REST_SECONDS = 120, 20


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
        # What a model does wrong is to be seen in a short time.
        self.front = Front(seed, rate=1 if stand_in is None else 3)
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
        self.older = None
        self.reasons = []
        self.kills = self.wipes = self.replays = 0
        self.once = [(0.2, lambda: self.make(LATE)), (0.3, self.front.revoke), (0.4, lambda: self.delete(MADE_ANEW)),
                     (0.45, lambda: self.make(MADE_ANEW)), (0.5, lambda: self.delete(MADE_ANEW_ELSEWHERE)), (0.55, self.make_elsewhere),
                     (0.6, lambda: self.make(LATER)), (0.7, self.front.revoke)]
        for number in range(USERS):
            if number not in (LATE, LATER, LAST):
                self.make(number)

    def is_queried(self, number):
        """Whether the roster does not say which document the user has."""
        return number == MADE_ANEW_ELSEWHERE or number > MADE_ANEW_ELSEWHERE and number % 4 == 0

    def make(self, number):
        """Saves a user's document, of the user's kind."""
        user = self.place.users[number]
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
        if self.older is None and self.stand_in is None and self.kills > 3:
            self.older = shutil.copytree(self.place.data, self.place.folder / "older", ignore=shutil.ignore_patterns("*.sock"))
        if self.dice.random() < 0.1:
            shutil.rmtree(self.place.data / "relay" / "store", ignore_errors=True)
            self.wipes += 1
        if self.dice.random() < 0.1:
            # Once more, somewhere within the start.
            service = Service(self.place)
            time.sleep(self.dice.uniform(0, 0.5))
            service.kill()
            self.kills += 1
        self.serve()

    def end_stand_in(self):
        """Ends the model, if there is one."""
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []

    def disturb(self, progress):
        """What happens once in a run, by how much of it is over: documents come late, or go and come again; tokens are revoked."""
        for due, act in list(self.once):
            if progress >= due:
                act()
                self.once.remove((due, act))

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
        self.make(MADE_ANEW_ELSEWHERE)

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
        self.make(LAST)
        self.resume()
        stuck = {users[number] for number in STUCK}
        anew = set() if self.stand_in is not None else {users[number] for number in (MADE_ANEW, MADE_ANEW_ELSEWHERE)}
        self.wait(set(users) - stuck - anew)
        for number, (field, wrong, _) in STUCK.items():
            fields = self.store.fields(self.names[users[number]])
            check("Rewards" not in fields or number == WRONG_REWARDS,
                  f"{users[number]}, whose {field} is wrong, was written to: {fields.get('Rewards')}")
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
        # Whose document was made anew needed somebody, until what was known of the first one was lost.
        others = dead - users - {self.place.users[number] for number in (MADE_ANEW, MADE_ANEW_ELSEWHERE)}
        check(not others, f"{others} are dead letters, and nothing is wrong with their documents: "
                          f"{[letter for letter in letters if letter['user'] in others][:3]}")

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
            raise Failed(f"not within {within} s: {len(told)} of {len(users)} are behind: {late()}, as {told[:3]}")

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
        comparison = Comparison(self.owed(), users, self.sink.get("collectedValue", False), lambda _: today)
        comparison.follow(self.store.history)
        for name in self.names.values():
            comparison.settle(name, self.store.fields(name), [change for change in self.store.history if change.name == name])
        found = {f"{len(self.front.flaws)} requests that nobody should send": self.front.flaws,
                 f"differences {dict(comparison.kinds)}": comparison.differences, "failures of the app": self.app.failures,
                 "refusals of the service": self.feed.problems}
        check(not any(found.values()), "\n".join(f"{what}\n  " + "\n  ".join(several[:20]) for what, several in found.items() if several))
        self.check_secrets()
        return comparison

    def restore(self):
        """Puts an older state of everything back: nothing may be written, and an operator is told."""
        if self.older is None:
            return
        before = {user: self.store.fields(name) for user, name in self.names.items()}
        shutil.rmtree(self.place.data)
        self.older.rename(self.place.data)
        self.place.serve()
        for user in self.place.users[-8:]:
            self.place.run("relay", "replay", "--user", user, "--sink", "store", codes=None)
        wait_until(lambda: self.place.status()["store"]["paused"], "the sink is paused, since the ledger was restored from an older state")
        self.place.stop()
        for user, fields in before.items():
            check(same(fields, self.store.fields(self.names[user])), f"{user} was written to from an older ledger")

    def check_secrets(self):
        """No log has a token or a key."""
        files = [*self.place.folder.glob("serve-*.log"), *(self.place.data / "relay").rglob("*")]
        told = "".join(path.read_text(errors="replace") for path in files if path.is_file())
        check("ya29." not in told and "PRIVATE KEY" not in told, "a secret is in a log")

    def story(self):
        """What the front has seen."""
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
