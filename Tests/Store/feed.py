"""What users do and operators decide, handed to a running service as fast as it takes it."""

import random
import threading
import time
from collections import Counter
from datetime import date, datetime, timedelta, timezone

from Relay.place import Place
from Shared import control
from Shared.civil import show
from Shared.program import json_lines
from Store.owed import MISSIONS

ITEMS = ["fontColor/red", "fontColor/blue", "backgroundColor/mint", "buttonStyle/glass", "fontStyle/serif", "emoji/hearts"]


def morning_zone() -> tuple[str, int]:
    """A zone in whose morning it is, with its hours ahead of UTC: no day ends during a test."""
    hours = (8 - datetime.now(timezone.utc).hour + 11) % 24 - 11
    return (f"Etc/GMT{-hours:+d}" if hours else "UTC"), hours


class Feed:
    """Threads of clients. `pauses` is how long each waits after an act, in seconds. Stop it when done."""

    def __init__(self, place: Place, users: list[str], hours: int, days: int, seed: int, threads: int = 3, pause: float = 0.05):
        self.place, self.users, self.pause = place, users, pause
        self.zone = timezone(timedelta(hours=hours))
        self.today = datetime.now(self.zone).date()
        self.acts = Counter()
        self.problems: list[str] = []
        self.is_over = threading.Event()
        # Both are shared by all threads.
        self.lock = threading.Lock()
        self.serial = 0
        self.keys: list[str] = []
        self.reversed: list[str] = []
        dice = random.Random(f"feed {seed}")
        # Days come mostly in their order, but some earlier: what follows is then adjusted.
        self.lines = [(user, ago, kind) for user in users for ago in range(days, 0, -1) for kind in ("login", *MISSIONS)]
        self.lines.sort(key=lambda line: -line[1] + dice.uniform(0, 4), reverse=True)
        self.now_lines = [(user, 0, kind) for user in users for kind in ("login", *MISSIONS)]
        dice.shuffle(self.now_lines)
        self.threads = [threading.Thread(target=self.run, args=(random.Random(f"feed {seed} {number}"),), daemon=True)
                        for number in range(threads)]

    def start(self) -> None:
        """Begins."""
        for thread in self.threads:
            thread.start()

    def stop(self) -> None:
        """Ends it after the acts that are under way."""
        self.is_over.set()
        for thread in self.threads:
            if thread.is_alive():
                thread.join()

    def run(self, dice: random.Random) -> None:
        while not self.is_over.wait(dice.uniform(0, 2 * self.pause)):
            act = dice.choices([self.live, self.live_today, self.give, self.reverse, self.undo, self.shop], [10, 2, 8, 5, 2, 1])[0]
            try:
                act(dice)
                self.acts[act.__name__] += 1
            except control.NoAnswer:
                time.sleep(0.1)

    def next_serial(self) -> int:
        """A number for one act."""
        with self.lock:
            self.serial += 1
            return self.serial

    def some(self, lines: list, count: int) -> list:
        """The next of some lines."""
        with self.lock:
            return [lines.pop() for _ in range(min(count, len(lines)))]

    def live(self, dice: random.Random) -> None:
        """Activities of days that are over, and not closed."""
        self.ingest(self.some(self.lines, dice.choice([1, 1, 2, 3, 8])))

    def live_today(self, dice: random.Random) -> None:
        """Activities of today."""
        self.ingest(self.some(self.now_lines, dice.choice([1, 1, 1, 2])))

    def ingest(self, lines: list) -> None:
        """Hands activities in."""
        if lines:
            self.send("ingest", {"afterRestore": False, "approving": []}, json_lines(
                {"user": user, "kind": kind, "at": show(self.instant(ago, kind)), "id": f"{kind}-{ago}"} for user, ago, kind in lines))
            with self.lock:
                self.keys += [f"{user}/{self.today - timedelta(days=ago)}/{kind}" for user, ago, kind in lines]

    def instant(self, ago: int, kind: str) -> int:
        """When something was done."""
        if ago == 0:
            return int(time.time()) - 1
        day: date = self.today - timedelta(days=ago)
        return int(datetime(day.year, day.month, day.day, 9, len(kind), tzinfo=self.zone).timestamp())

    def give(self, dice: random.Random) -> None:
        """A gift by hand."""
        user, serial = dice.choice(self.users), self.next_serial()
        items = [dice.choice(ITEMS)] if dice.random() < 0.2 else []
        gift = {"points": dice.choice([0, dice.randint(1, 90)]), "exp": dice.choice([0, dice.randint(1, 400)]), "coins": 0}
        if items or any(gift.values()):
            self.send("grant", {"user": user, **gift, "items": items, "id": f"g{serial}", "reason": "test"})
            with self.lock:
                self.keys.append(f"{user}/manual/g{serial}")

    def reverse(self, dice: random.Random) -> None:
        """Takes something back, even what is spent."""
        with self.lock:
            key = self.keys.pop(dice.randrange(len(self.keys))) if self.keys else None
        if key:
            self.send("reverse", {"key": key, "undo": False, "belowZero": True, "reason": "test"}, codes=None)
            with self.lock:
                self.reversed.append(key)

    def undo(self, dice: random.Random) -> None:
        """Gives it back."""
        with self.lock:
            key = self.reversed.pop(dice.randrange(len(self.reversed))) if self.reversed else None
        if key:
            self.send("reverse", {"key": key, "undo": True, "belowZero": True, "reason": "test"}, codes=None)

    def shop(self, dice: random.Random) -> None:
        """What the shop tells of: the app has done it already, so that nothing of it is owed."""
        user, serial = dice.choice(self.users), self.next_serial()
        goods = dice.choice([{"points": -dice.randint(1, 99)}, {"exp": 100}, {"items": [dice.choice(ITEMS)]}, {"coins": 100},
                             {"points": -90, "boosterDays": 1}])
        self.send("ingest", {"afterRestore": False, "approving": []}, json_lines(
            [{"user": user, "kind": "credit", "at": show(int(time.time()) - 1), "id": f"o{serial}", **goods}]))

    def send(self, request: str, body: dict, lines: str = "", codes: tuple[int, ...] | None = (0,)) -> None:
        """Has the service do something; what it refuses is a problem of this test."""
        answer = control.send(self.place, request, body, lines)
        if codes is not None and answer.code not in codes:
            self.problems.append(f"{request} {body} {lines}: {answer.code} {answer.said}")
        if answer.code not in (0, 1):
            self.acts[f"{request} refused"] += 1
