#!/usr/bin/env python3
"""A sink in a few lines, against which the test itself is tested; some of its flaws must be found.

    model.py FOLDER [FLAW]

It follows the ledger of the installation in FOLDER and writes what is owed, until it is killed. What was lost, doubled or raced is
told by the position in each document, which is written in the same commit, under the `updateTime` that was read.
"""

import http.client
import json
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

import jwt

from Store.levels import lifted, total
from Store.owed import MISSIONS, Owed

FLAWS = {"blind": "writes without a precondition", "forgets": "takes the position to be 0", "hopes": "takes a lost commit to be done",
         "keeps": "takes nothing back", "overwrites": "sets points instead of adding to them, blindly",
         "widens": "writes a field that is none of its own",
         "confuses": "takes the sums of another user", "creates": "makes documents that are missing"}
NEEDED = {"ShopPoints": "integerValue", "TotalExp": "integerValue", "Level": "integerValue", "TotalLogin": "integerValue",
          "OwnedItems": "arrayValue", "MissionRewards": "arrayValue", "DailyReward": "booleanValue", "Rewards": "mapValue"}


class Lost(Exception):
    """Nobody knows what became of a request."""


class Refusal(Exception):
    """The server says that it did nothing."""


class Client:
    """Calls of the REST API, with a token that is fetched when there is none."""

    def __init__(self, settings, account):
        self.settings, self.account, self.token = settings, account, None
        self.base = f"/v1/projects/{account['project_id']}/databases/(default)/documents"

    def call(self, name, body):
        """The document of an answer."""
        if self.token is None:
            now = int(time.time())
            claims = {"iss": self.account["client_email"], "scope": "https://www.googleapis.com/auth/datastore",
                      "aud": self.account["token_uri"], "iat": now, "exp": now + 3600}
            assertion = jwt.encode(claims, self.account["private_key"], algorithm="RS256", headers={"kid": self.account["private_key_id"]})
            form = f"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion={assertion}"
            self.token = self.post("/token", form.encode(), {})["access_token"]
        try:
            return self.post(f"{self.base}:{name}", json.dumps(body).encode(), {"Authorization": f"Bearer {self.token}"})
        except Refusal as refusal:
            if refusal.args[0] == 401:
                self.token = None
            raise

    def post(self, path, body, headers):
        """One request on a connection of its own."""
        address = self.settings["endpoint"].removeprefix("http://")
        connection = http.client.HTTPConnection(address, timeout=self.settings["timeoutSeconds"])
        try:
            connection.request("POST", path, body, headers)
            response = connection.getresponse()
            content = response.read()
            if response.status == 200:
                document = json.loads(content)
                # Readings are arrays, all other answers are objects.
                kind = list if path.endswith((":batchGet", ":runQuery")) else dict
                if not isinstance(document, kind) or kind is list and not all(isinstance(one, dict) for one in document):
                    raise ValueError("something else")
                return document
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Lost(str(error)) from None
        finally:
            connection.close()
        if response.status in (500, 504):
            raise Lost(response.status)
        raise Refusal(response.status, content.decode(errors="replace"))


class Sink:
    """Brings every user's document up to the ledger's head."""

    def __init__(self, folder, flaw):
        settings = json.loads((folder / "store.json").read_text())
        self.settings = settings["store"]
        self.flaw = flaw
        self.zone = timezone(timedelta(hours=settings["hours"]))
        self.owed = Tail(folder / "data" / "ledger")
        self.client = Client(self.settings, json.loads((folder / self.settings["credentials"]["file"]).read_text()))
        self.prefix = self.client.base.removeprefix("/v1/") + "/" + self.settings["collection"] + "/"
        self.names = {line["user"]: line.get("account") and self.prefix + line["account"] for line in settings["users"]}
        # Up to where each user's document was written, as far as this process knows; and those that need a person.
        self.done, self.dead = {}, set()
        # What it takes to be written, whatever the document says: a flaw.
        self.hoped = {}

    def turn(self):
        """Writes what is due of up to a hundred users; returns whether anything was."""
        self.owed.follow()
        due = [user for user in self.names if self.owed.of(user).now.position > self.done.get(user, 0) and user not in self.dead]
        found = {}
        for user in due:
            if self.names[user] is None:
                self.find(user)
        named = {self.names[user]: user for user in due[:100] if self.names[user]}
        if not named:
            return False
        for one in self.client.call("batchGet", {"documents": list(named), "mask": {"fieldPaths": [*NEEDED, "ExpBoosterEndDay"]}}):
            if "found" in one:
                found[named[one["found"]["name"]]] = one["found"]
            elif self.flaw == "creates":
                found[named[one["missing"]]] = {"name": one["missing"], "updateTime": None}
        writes = {user: write for user, document in found.items() if (write := self.write(user, document))}
        self.commit(writes)
        return bool(writes)

    def find(self, user):
        """Looks for a document by its user."""
        query = {"from": [{"collectionId": self.settings["collection"]}], "limit": 2, "select": {"fields": [{"fieldPath": "__name__"}]},
                 "where": {"fieldFilter": {"field": {"fieldPath": "UserID"}, "op": "EQUAL", "value": {"stringValue": user}}}}
        found = [one["document"]["name"] for one in self.client.call("runQuery", {"structuredQuery": query}) if "document" in one]
        if len(found) == 1:
            self.names[user] = found[0]

    def write(self, user, document):
        """What is owed to a document; nothing if it is up to date or needs a person."""
        fields = document.get("fields", {})
        if any(kind not in fields.get(field, {kind: 0}) for field, kind in NEEDED.items()):
            self.dead.add(user)
            return None
        had = fields.get("Rewards", {}).get("mapValue", {}).get("fields", {})
        had = self.hoped.get(user, had)
        number = lambda name: int(had.get(name, {}).get("integerValue", 0)) if self.flaw != "forgets" else 0
        now = self.owed.of(user if self.flaw != "confuses" or hash(user) % 9 else next(iter(self.names))).now
        if number("position") >= now.position:
            self.done[user] = now.position
            return None
        integer = lambda name, preset: int(fields.get(name, {}).get("integerValue", preset))
        gained = {name: getattr(now, name) - number(name) for name in ("points", "exp", "logins")}
        if self.flaw == "keeps":
            gained = {name: max(0, value) for name, value in gained.items()}
        items = {one["stringValue"] for one in had.get("items", {}).get("arrayValue", {}).get("values", [])}
        exp = total(integer("Level", 1), integer("TotalExp", 0)) + gained["exp"]
        level, exp = lifted(1, exp) if exp >= 0 else (1, exp)
        written = {"position": now.position, "points": now.points, "exp": now.exp, "logins": now.logins, "cycleDay": now.cycle_day,
                   "boosterSeconds": now.booster_seconds}
        rewards = {"ledger": {"stringValue": self.owed.ledger}, "items": {"arrayValue": strings(now.items)},
                   **{name: whole(value) for name, value in written.items()}}
        given = {"Rewards": {"mapValue": {"fields": rewards}}, "Level": whole(level), "TotalExp": whole(exp),
                 "ConsecutiveLogin": whole(max(0, now.cycle_day - 1))}
        today = datetime.now(self.zone).date().isoformat()
        new = now.granted - self.owed.of(user).at(number("position")).granted
        flags = fields.get("MissionRewards", {}).get("arrayValue", {}).get("values", [{"booleanValue": True}] * len(MISSIONS))
        if (today, "login") in new:
            given["DailyReward"] = {"booleanValue": False}
        if any((today, mission) in new for mission in MISSIONS):
            given["MissionRewards"] = {"arrayValue": {"values": [
                {"booleanValue": False} if (today, mission) in new else flag for flag, mission in zip(flags, MISSIONS)]}}
        transforms = [{"fieldPath": field, "increment": whole(gained[name])}
                      for field, name in (("ShopPoints", "points"), ("TotalLogin", "logins")) if gained[name]]
        if self.flaw == "overwrites":
            given["ShopPoints"] = whole(integer("ShopPoints", 0) + gained["points"])
            transforms = [one for one in transforms if one["fieldPath"] != "ShopPoints"]
        if now.items - items:
            transforms.append({"fieldPath": "OwnedItems", "appendMissingElements": strings(now.items - items)})
        gone = items - now.items - now.elsewhere
        if gone and self.flaw != "keeps":
            transforms.append({"fieldPath": "OwnedItems", "removeAllFromArray": strings(gone)})
        if self.flaw == "widens":
            given["FCMToken"] = {"stringValue": ""}
        write = {"update": {"name": document["name"], "fields": given}, "updateMask": {"fieldPaths": list(given)},
                 "updateTransforms": transforms}
        if document["updateTime"] and self.flaw not in ("blind", "overwrites"):
            write["currentDocument"] = {"updateTime": document["updateTime"]}
        return write

    def commit(self, writes):
        """Writes; what one write makes impossible is tried one by one."""
        if not writes:
            return
        try:
            self.client.call("commit", {"writes": list(writes.values())})
            self.done |= {user: self.owed.of(user).now.position for user in writes}
            if self.flaw == "hopes":
                self.hoped |= {user: write["update"]["fields"]["Rewards"]["mapValue"]["fields"] for user, write in writes.items()}
        except Lost:
            if self.flaw == "hopes":
                self.hoped |= {user: write["update"]["fields"]["Rewards"]["mapValue"]["fields"] for user, write in writes.items()}
            raise
        except Refusal as refusal:
            if refusal.args[0] not in (400, 404, 409):
                raise
            if len(writes) > 1:
                for user, write in writes.items():
                    self.commit({user: write})
            elif "maximum allowed size" in refusal.args[1]:
                self.dead |= set(writes)


def whole(number):
    """An integer, as REST has it."""
    return {"integerValue": str(number)}


def strings(texts):
    """An array of texts."""
    return {"values": [{"stringValue": text} for text in sorted(texts)]}


class Tail(Owed):
    """A ledger that grows: what lies before its last seal."""

    def __init__(self, folder):
        super().__init__(folder)
        self.offset, self.waiting = 0, []

    def follow(self):
        """Reads on. These ledgers have one segment."""
        path = next(iter(sorted(self.folder.glob("*.jsonl"))), None)
        if path is None:
            return
        with path.open("rb") as file:
            file.seek(self.offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.waiting.append(json.loads(line))
                if self.waiting[-1]["type"] == "seal":
                    for record in self.waiting:
                        self.take(record)
                    self.waiting = []
                self.offset += len(line)


def main():
    sink = Sink(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
    while True:
        try:
            if not sink.turn():
                time.sleep(0.02)
        except (Lost, Refusal):
            time.sleep(0.05)


if __name__ == "__main__":
    main()
