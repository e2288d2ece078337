"""The app on its users' phones, which writes to the same documents at the same time, by google-cloud-firestore's own writes."""

import random
import threading
from collections import Counter
from datetime import datetime, timedelta, timezone

from google.cloud.firestore_v1 import DELETE_FIELD, ArrayUnion, Increment
from google.cloud.firestore_v1._helpers import pbs_for_create, pbs_for_update
from google.cloud.firestore_v1.types import CommitRequest

from Store.firestore import Firestore, Refused
from Store.levels import lifted
from Store.owed import MISSIONS

POINTS = {"comment": 5, "watch": 15, "follow": 15, "gift": 20, "share": 10, "stream": 30, "purchase": 50}
# Nothing that the ledger gives.
GOODS = ["buttonStyle/round", "buttonStyle/flat", "backgroundImage/sea", "backgroundImage/city", "frame/gold"]


def newcomer(user: str, dice: random.Random) -> dict:
    """A document as the app makes one."""
    level, exp = lifted(1, dice.randint(0, 3_000))
    return {
        "UserID": user, "ShopPoints": dice.randint(0, 500), "TotalExp": exp, "Level": level, "OwnedItems": dice.sample(GOODS, 2),
        "ExpBoosterEndDay": datetime(2024, 3, 1, tzinfo=timezone.utc), "ConsecutiveLogin": 0, "TotalLogin": dice.randint(0, 90),
        "LastLogin": datetime.now(timezone.utc), "DailyReward": True, "MissionRewards": [True] * len(MISSIONS),
        "FCMToken": f"fcm-{user}", "BlockedUsers": ["x1", "x2"], "HiddenMessages": [], "Settings": {"sound": True, "volume": 0.5}}


class App:
    """Opens, plays, buys and collects, on documents by their full names. Stop it when done."""

    def __init__(self, store: Firestore, seed: int, pause: float = 0.01):
        self.store, self.pause = store, pause
        self.dice = random.Random(f"app {seed}")
        self.names: list[str] = []
        # Of these, the app changes nothing that a sink reads.
        self.quiet: set[str] = set()
        self.acts = Counter()
        self.failures = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self) -> None:
        """Begins."""
        self.thread.start()

    def stop(self) -> None:
        """Ends it after the act that is under way."""
        self.is_over.set()
        if self.thread.is_alive():
            self.thread.join()

    def create(self, name: str, fields: dict) -> None:
        """Saves a new user."""
        with self.store.lock:
            self.store.commit(CommitRequest(writes=pbs_for_create(name, fields)))
            self.names.append(name)

    def update(self, name: str, changes: dict) -> None:
        """Changes fields of a document, by values and transforms."""
        self.store.commit(CommitRequest(writes=pbs_for_update(name, changes, None)))

    def run(self) -> None:
        acts = [self.open, self.spend, self.spend, self.collect, self.collect, self.collect_login, self.play, self.level_up, self.buy_item,
                self.buy_booster, self.chat, self.overwrite]
        stale = {}
        while not self.is_over.wait(self.dice.uniform(0, 2 * self.pause)):
            act = self.dice.choice(acts)
            try:
                with self.store.lock:
                    name = self.dice.choice(self.names)
                    # What a phone shows may be old: it overwrites with that.
                    seen = self.store.fields(name)
                    if name in self.quiet:
                        act = self.chat
                    if seen is not None:
                        act(name, stale.get(name, seen) if act == self.overwrite else seen)
                        self.acts[act.__name__] += 1
                        if self.dice.random() < 0.2:
                            stale[name] = seen
            except Refused as error:
                # A document may be full.
                if "maximum allowed size" not in error.message:
                    self.failures.append(f"{act.__name__}: {error}")
            except Exception as error:
                self.failures.append(f"{act.__name__}: {error!r}")

    def open(self, name: str, _: dict) -> None:
        """The first start of a day: everything may be collected again."""
        self.update(name, {"LastLogin": datetime.now(timezone.utc), "DailyReward": True, "MissionRewards": [True] * len(MISSIONS),
                           "TotalLogin": Increment(1)})

    def spend(self, name: str, _: dict) -> None:
        """Pays for something."""
        self.update(name, {"ShopPoints": Increment(-self.dice.randint(1, 60))})

    def collect(self, name: str, seen: dict) -> None:
        """Collects a mission that may be collected."""
        flags = seen.get("MissionRewards", [])
        open_ones = [number for number, flag in enumerate(flags) if flag is True]
        if open_ones:
            number = self.dice.choice(open_ones)
            gained = POINTS[MISSIONS[number]]
            flags = [flag and index != number for index, flag in enumerate(flags)]
            self.update(name, {"MissionRewards": flags, "ShopPoints": Increment(gained), **self.exp(seen, gained)})

    def collect_login(self, name: str, seen: dict) -> None:
        """Collects the day's login reward."""
        if seen.get("DailyReward") is True:
            self.update(name, {"DailyReward": False, "ShopPoints": Increment(25), **self.exp(seen, 25)})

    def play(self, name: str, _: dict) -> None:
        """Gains exp, blindly; the level follows later."""
        self.update(name, {"TotalExp": Increment(self.dice.randint(1, 150))})

    def level_up(self, name: str, seen: dict) -> None:
        """Uses exp cards."""
        self.update(name, self.exp(seen, 100 * self.dice.choice([1, 1, 2, 5])))

    def exp(self, seen: dict, gained: int) -> dict:
        """What exp makes of level and rest."""
        if not all(type(seen.get(field)) is int for field in ("Level", "TotalExp")):
            return {"TotalExp": Increment(gained)}
        level, exp = lifted(seen["Level"], seen["TotalExp"] + gained)
        return {"Level": level, "TotalExp": exp}

    def buy_item(self, name: str, _: dict) -> None:
        """Buys something that only the shop has."""
        self.update(name, {"ShopPoints": Increment(-50), "OwnedItems": ArrayUnion([self.dice.choice(GOODS)])})

    def buy_booster(self, name: str, seen: dict) -> None:
        """Buys a day of double exp: from now on, or from the end of the one that runs."""
        now, end = datetime.now(timezone.utc), seen.get("ExpBoosterEndDay")
        end = max(now, end) if isinstance(end, datetime) else now
        if end < now + timedelta(days=300):
            self.update(name, {"ShopPoints": Increment(-100), "ExpBoosterEndDay": end + timedelta(days=1)})

    def chat(self, name: str, _: dict) -> None:
        """Changes what is none of ours."""
        self.update(name, self.dice.choice([
            {"FCMToken": f"fcm-{self.dice.random()}"}, {"BlockedUsers": ArrayUnion([f"x{self.dice.randint(1, 9)}"])},
            {"HiddenMessages": ArrayUnion([self.dice.randint(1, 99)])}, {"Settings.volume": self.dice.random()},
            {"Nickname": "はな"}, {"Nickname": DELETE_FIELD}]))

    def overwrite(self, name: str, seen: dict) -> None:
        """Writes one field as the phone last saw it, over whatever others have written since."""
        field = self.dice.choice(["ShopPoints", "TotalExp", "TotalLogin"])
        if type(seen.get(field)) is int:
            self.update(name, {field: seen[field] + self.dice.randint(0, 9)})
