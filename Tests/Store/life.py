"""The app's documents in a random life: the app does what it tells the shop, the service writes what is earned, and both come to what
the oracle says.

The service runs at the life's own time, by a clock that is wrong as far as the machine knows. With a database it goes by the database's
clock: it takes the ledger for long idle, appends nothing, and only writes documents.
"""

import random
import re
import time
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from google.cloud.firestore_v1 import Increment

from Lives.amounts import standing
from Lives.checks import before
from Lives.facts import Credit, User
from Lives.oracle import Account
from Lives.player import Player
from Shared.civil import HOUR, show
from Shared.places import Database
from Shared.program import Failed
from Shared.service import Service
from Shared.waiting import wait_for, wait_until
from Store.app import App
from Store.compare import items_of, number
from Store.front import Front
from Store.levels import lifted, total
from Store.owed import MISSIONS, Owed

# How long a visit of the service takes at most, in seconds; no other step comes meanwhile.
VISIT_SECONDS, REST_SECONDS = 120, 20
# Longer than a service takes for idle.
IDLE_SECONDS = 8 * 24 * HOUR
ONLY_BOOSTER = ": ExpBoosterEndDay is "


def with_visits(life: dict) -> dict:
    """The life with visits of the service in between, where there is time, and at the end."""
    dice, steps = random.Random(f"store {life['seed']}"), life["steps"]
    gaps = [number for number, (step, following) in enumerate(zip(steps, steps[1:]), 1)
            if following["now"] - step["now"] > 3 * VISIT_SECONDS]
    for number in sorted(dice.sample(gaps, min(len(gaps), dice.randint(1, 4))), reverse=True):
        steps.insert(number, visit(steps[number - 1], dice))
    steps.append(visit(steps[-1], dice) | {"is_last": True})
    return life


def visit(step: dict, dice: random.Random) -> dict:
    """A visit right after a step."""
    return {"do": "store", "now": step["now"] + 1, **({"kill": dice.uniform(0, 0.6)} if dice.random() < 0.3 else {})}


def tables(life: dict) -> list[list[int]]:
    """The different tables of levels that a life's rules have."""
    documents = [*life["documents"], *(document for step in life["steps"] for document in step.get("documents", ()))]
    found = {tuple(document["levels"]["caps"]) for document in documents}
    return [list(caps) for caps in found]


class Store:
    """The documents of a life. Close it when done."""

    def __init__(self, player: Player, clock: Path, spoil: bool):
        self.player, self.clock, self.spoil = player, clock, spoil
        self.installation, self.inspector = player.installation, player.inspector
        self.front = Front(player.life["seed"], rate=0)
        self.app = App(self.front.store, player.life["seed"])
        found = tables(player.life)
        # Where the table changes, exp is compared without levels: at which level who is then depends on when exp came.
        self.caps = found[0] if len(found) == 1 else None
        sink = {"kind": "firestore", "credentials": {"file": "./account.json"}, "endpoint": self.front.url, "everySeconds": 0,
                **({} if self.caps else {"fields": {"Level": None}})}
        self.installation.write("account.json", self.front.account(), mode=0o600)
        self.installation.configure(relay={"store": sink}, admin={"listen": "127.0.0.1:0"})
        self.bought: dict[str, dict[str, Credit]] = {}
        self.start_exp: dict[str, int] = {}
        self.is_in_database = isinstance(self.installation.place, Database)
        # How many documents were compared with the ledger, and with the oracle too.
        self.compared = self.judged = 0

    def close(self) -> None:
        """Ends the front."""
        self.front.close()

    def visit(self, step: dict) -> None:
        """The app does what it tells, the service writes, and everything is compared."""
        if self.is_in_database and step["now"] > time.time() - IDLE_SECONDS:
            return
        for user in self.player.facts.users.values():
            self.act(user)
        self.serve(step["now"], step.get("kill"))
        records = self.inspector.records()
        if self.spoil and step.get("is_last"):
            self.app.update(self.name(self.present()[0]), {"ShopPoints": Increment(-1)})
        self.compare(owed_by(records), records, set(self.player.facts.users) if step.get("is_last") else self.certain())
        self.audit(step["now"] + VISIT_SECONDS)

    # The app.

    def act(self, user: User) -> None:
        """Saves a user as the shop knows the person, and does what was told since."""
        name, opening = self.name(user.name), user.opening
        if user.name not in self.bought:
            self.bought[user.name] = {}
            end = {"ExpBoosterEndDay": instant(opening["boosterUntil"])} if "boosterUntil" in opening else {}
            self.app.create(name, {
                "UserID": user.name, "ShopPoints": opening.get("points", 0), "TotalExp": opening.get("exp", 0),
                "Level": opening.get("level", 1), "OwnedItems": list(opening.get("items", ())), "ConsecutiveLogin": 0,
                "TotalLogin": opening.get("totalLogins", 0), "LastLogin": instant(self.player.now), "DailyReward": True,
                "MissionRewards": [True] * len(MISSIONS), **end})
            self.start_exp[user.name] = self.exp(user.name)
        for place, credit in user.credits.items():
            if not credit.key and place not in self.bought[user.name]:
                self.bought[user.name][place] = credit
                self.buy(name, credit)

    def buy(self, name: str, credit: Credit) -> None:
        """Does what a credit tells."""
        fields = self.front.store.fields(name)
        changes: dict = {"ShopPoints": fields["ShopPoints"] + credit.points,
                         "OwnedItems": list(dict.fromkeys([*fields["OwnedItems"], *credit.items]))}
        if credit.exp:
            level, exp = lifted(fields["Level"], fields["TotalExp"] + credit.exp, self.caps or [])
            changes |= {"Level": level, "TotalExp": exp}
        if credit.booster_days:
            end = max(instant(credit.at), fields.get("ExpBoosterEndDay", instant(0)))
            changes["ExpBoosterEndDay"] = instant(int(end.timestamp()) + credit.booster_days * 24 * HOUR)
        self.app.update(name, changes)

    # The service.

    def live_at(self, now: int) -> dict[str, str]:
        """From now on it is that time for Google, and for every program that gets these variables."""
        if self.is_in_database:
            return {}
        skew = now - int(time.time())
        self.front.now = lambda: time.time() + skew + 1
        wrong = self.installation.folder / "skew"
        wrong.write_text(f"{skew}\n")
        return {"LD_PRELOAD": str(self.clock), "WRONG_CLOCK": str(wrong)}

    def serve(self, now: int, kill: float | None) -> None:
        """Lets the service write until all is written; perhaps it is killed before."""
        clock = self.live_at(now)
        # By what a visit before it noted of the machine's clocks, this one's would be wrong.
        (self.installation.state / "clock").unlink(missing_ok=True)
        with self.without_api():
            if kill is not None:
                service = Service(self.installation, **clock)
                time.sleep(kill)
                service.kill()
            service = Service(self.installation, **clock)
            try:
                wait_until(lambda: "event=serving" in service.log, "the service serves")
                wait_for(lambda: not self.late(), REST_SECONDS, 0.1)
                service.terminate()
                code = service.wait(REST_SECONDS)
            finally:
                service.kill()
        if code:
            raise Failed("serve", f"it ended with {code}: {service.log[-1500:]}")

    @contextmanager
    def without_api(self):
        """The service asks nobody meanwhile: of what it would be told, only the life's own commands know."""
        settings = self.installation.settings
        try:
            self.installation.settings = {name: value for name, value in settings.items() if name != "api"}
            self.installation.configure()
            yield
        finally:
            self.installation.settings = settings
            self.installation.configure()

    def late(self) -> list[str]:
        """Whose document is not what the ledger owes now."""
        owed = owed_by(standing(self.installation.place.lines(allow_tail=True)))
        return [user for user in self.present() if self.written(user) != due(owed, user)]

    # What there is.

    def name(self, user: str) -> str:
        """The name of a user's document."""
        return self.front.store.name("Users", f"document-{user}")

    def fields(self, user: str) -> dict:
        """A user's document."""
        return self.front.store.fields(self.name(user))

    def exp(self, user: str) -> int:
        """All exp of a document, as far as it can be told."""
        fields = self.fields(user)
        return total(number(fields, "Level", 1), fields["TotalExp"], self.caps) if self.caps else fields["TotalExp"]

    def written(self, user: str) -> dict:
        """What a document says was written."""
        rewards = self.fields(user).get("Rewards", {})
        return {name: set(rewards.get(name, ())) if name == "items" else rewards.get(name, 0) for name in due(Owed(Path()), user)}

    def present(self) -> list[str]:
        """The users who have not left."""
        return [name for name, user in self.player.facts.users.items() if user.is_present]

    # Comparisons.

    def compare(self, owed: Owed, records: list[dict], certain: set[str]) -> None:
        """Compares documents with the ledger's sums, and with the oracle where it is certain."""
        found: list[str] = []
        for user in self.present():
            for name, wanted in due(owed, user).items():
                found += different(user, f"record of {name}", self.written(user)[name], wanted)
            opening = self.player.facts.users[user].opening.get("totalLogins", 0)
            found += different(user, "TotalLogin", self.fields(user)["TotalLogin"], opening + owed.of(user).now.logins)
            self.compared += 1
            if user in certain - self.inspector.hazy - self.inspector.uncertain:
                self.judged += 1
                found += self.misjudged(user, self.account(user, records))
        if found:
            raise Failed("document", f"at {show(self.player.now)}: " + "; ".join(found))

    def certain(self) -> set[str]:
        """Of whom the oracle is certain in the midst of a life."""
        return {name for name in self.player.facts.users if not self.inspector.is_ahead(name)} - self.inspector.stale

    def account(self, user: str, records: list[dict]) -> Account:
        """What the oracle says that a user has."""
        accounts = [self.inspector.account(user, records), self.inspector.account(user, records, before)]
        return next((one for one in accounts if not self.inspector.differences(one, user, records, None)), accounts[0])

    def misjudged(self, user: str, account: Account) -> list[str]:
        """How a document differs from what the oracle says."""
        fields, there = self.fields(user), self.player.facts.users[user]
        sold = sum(credit.exp for credit in there.credits.values() if not credit.key)
        elsewhere = there.items_from_elsewhere()
        return [*different(user, "ShopPoints", fields["ShopPoints"], account.sum("points")),
                *different(user, "exp", self.exp(user), self.start_exp[user] + sold + account.earned["exp"]),
                *different(user, "OwnedItems", items_of(fields) - elsewhere, set(account.items) - elsewhere),
                *different(user, "ConsecutiveLogin", fields["ConsecutiveLogin"], max(0, account.cycle_day - 1))]

    def audit(self, now: int) -> None:
        """The program's own comparison finds that every document agrees.

        Of boosters that the app sells and the ledger gives between two writes, nobody can tell in which order they came.
        """
        now = int(time.time()) if self.is_in_database else now
        answer = self.installation.run(now, "audit", "--against", "store", "--format", "json", codes=(0, 1), **self.live_at(now)).document
        check = next(check for check in answer["checks"] if check["name"] == "app's store")
        findings = [finding for finding in check["findings"]
                    if finding["user"] not in self.boosted() or ONLY_BOOSTER not in finding["text"] or ";" in finding["text"]]
        count, agree = len(self.present()), re.search(r"(\d+) agrees", check["note"])
        agreeing = (int(agree[1]) if agree else 0) + len(check["findings"]) - len(findings)
        if findings or agreeing != count:
            raise Failed("booster" if all(ONLY_BOOSTER in finding["text"] for finding in findings) else "audit of the store",
                         f"at {show(now)}: {check['note']}, not {count} agrees: {findings[:3]}")

    def boosted(self) -> set[str]:
        """To whom the app has sold boosters."""
        return {user for user, bought in self.bought.items() if any(credit.booster_days for credit in bought.values())}


def owed_by(records: list[dict]) -> Owed:
    """The sums of these records."""
    owed = Owed(Path())
    for record in records:
        owed.take(record)
    return owed


def due(owed: Owed, user: str) -> dict:
    """What a document should say was written. The cycle day is left to the oracle: that of an opening balance follows from rules."""
    return {name: value for name, value in owed.of(user).now.written().items() if name != "cycleDay"}


def different(user: str, field: str, found: object, wanted: object) -> list[str]:
    """A field that differs, in words."""
    return [f"{user}'s {field} is {found}, not {wanted}"] if found != wanted else []


def instant(at: int) -> datetime:
    """An instant as Firestore has it."""
    return datetime.fromtimestamp(at, timezone.utc)
