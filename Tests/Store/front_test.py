#!/usr/bin/env python3
"""Tests the front by Google's own client over REST: every kind of answer, precondition, mask, transform, limit and fault.

    front_test.py
"""

import json
import random
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parent.parent)

import jwt
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore_v1._helpers import decode_dict, encode_dict, encode_value
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports.rest import FirestoreRestTransport
from google.cloud.firestore_v1.types import DocumentTransform, StructuredQuery, Write

from Store.firestore import DOCUMENT_LIMIT, document_size
from Store.front import SCOPE, Front

SEEN = {"ShopPoints": 5, "Name": "Ann", "Items": ["a", "b", "a"], "Map": {"one": 1, "two": 2}, "Nothing": None, "Rate": 1.5,
        "At": datetime(2026, 11, 20, 8, 0, 0, 123456, tzinfo=timezone.utc)}
Transform = DocumentTransform.FieldTransform


def by(field, value):
    """An increment."""
    return Transform(field_path=field, increment=encode_value(value))


def adds(field, *values):
    """What is appended where it is missing."""
    return Transform(field_path=field, append_missing_elements={"values": [encode_value(value) for value in values]})


def takes(field, *values):
    """What is removed wherever it stands."""
    return Transform(field_path=field, remove_all_from_array={"values": [encode_value(value) for value in values]})


# Fields of an update, its mask, its transforms; and what then differs from SEEN, with `...` for a field that is gone.
UPDATES = [
    ({"ShopPoints": 7}, ["ShopPoints"], [], {"ShopPoints": 7}),
    ({"ShopPoints": 7}, ["ShopPoints", "Name"], [], {"ShopPoints": 7, "Name": ...}),
    ({"ShopPoints": 7, "Name": "Bob"}, ["ShopPoints"], [], {"ShopPoints": 7}),
    ({"Map": {"one": 9}}, ["Map"], [], {"Map": {"one": 9}}),
    ({"Map": {"one": 9}}, ["Map.one"], [], {"Map": {"one": 9, "two": 2}}),
    ({}, ["Map.one"], [], {"Map": {"two": 2}}),
    ({"odd name": 1}, ["`odd name`"], [], {"odd name": 1}),
    ({"New": {"deep": 1}}, ["New.deep"], [], {"New": {"deep": 1}}),
    ({}, [], [by("ShopPoints", 3)], {"ShopPoints": 8}),
    ({}, [], [by("ShopPoints", -9)], {"ShopPoints": -4}),
    ({}, [], [by("ShopPoints", 1), by("ShopPoints", 2)], {"ShopPoints": 8}),
    ({}, [], [by("ShopPoints", (1 << 63) - 1)], {"ShopPoints": (1 << 63) - 1}),
    ({"ShopPoints": 100}, ["ShopPoints"], [by("ShopPoints", 1)], {"ShopPoints": 101}),
    ({}, [], [by("Missing", 3)], {"Missing": 3}),
    ({}, [], [by("Nothing", 3)], {"Nothing": 3}),
    ({}, [], [by("Name", 3)], {"Name": 3}),
    ({}, [], [by("Items", 3)], {"Items": 3}),
    ({}, [], [by("Rate", 1)], {"Rate": 2.5}),
    ({}, [], [adds("Items", "b", "c", "c")], {"Items": ["a", "b", "a", "c"]}),
    ({}, [], [adds("Missing", "c")], {"Missing": ["c"]}),
    ({}, [], [adds("Name", "c")], {"Name": ["c"]}),
    ({}, [], [adds("Nothing", "c")], {"Nothing": ["c"]}),
    ({}, [], [takes("Items", "a", "z")], {"Items": ["b"]}),
    ({}, [], [takes("Missing", "c")], {"Missing": []}),
    ({}, [], [takes("ShopPoints", "c")], {"ShopPoints": []}),
    ({}, [], [adds("Items", "c"), takes("Items", "b", "a")], {"Items": ["c"]}),
]
# Writes that are refused, by what is wrong.
MALFORMED = {
    "an unknown member": {"writes": [{"updat": {}}]},
    "an unquoted name": {"writes": [{"update": {}, "updateMask": {"fieldPaths": ["odd name"]}}]},
    "a fraction": {"writes": [{"update": {"fields": {"a": {"integerValue": "1.5"}}}}]},
    "two kinds": {"writes": [{"update": {"fields": {"a": {"integerValue": "1", "stringValue": ""}}}}]},
    "no time": {"writes": [{"currentDocument": {"updateTime": "yesterday"}}]},
    "another database": {"database": "projects/p/databases/x", "writes": []},
    "a text to add": {"writes": [{"updateTransforms": [{"fieldPath": "a", "increment": {"stringValue": "1"}}]}]},
    "too many transforms": {"writes": [{"updateTransforms": [{"fieldPath": "a", "increment": {"integerValue": "1"}}] * 501}]},
    "a reserved name": {"writes": [{"updateMask": {"fieldPaths": ["__x__"]}}]},
}


class Bearer(AnonymousCredentials):
    """Credentials that are one token."""

    def before_request(self, request, method, url, headers):
        headers["authorization"] = f"Bearer {self.token}"


class Tests:
    """One front and a client of Google's."""

    def __init__(self):
        self.front = Front(seed=1, rate=0, timeout=0.3, token_seconds=600)
        self.token = self.fetch()["access_token"]
        credentials = Bearer()
        credentials.token = self.token
        transport = FirestoreRestTransport(host=self.front.url.removeprefix("http://"), url_scheme="http", credentials=credentials)
        self.client = FirestoreClient(transport=transport)
        self.root = self.front.store.root
        self.count = 0

    def name(self, document):
        return f"{self.root}/documents/Users/{document}"

    def commit(self, *writes):
        return self.client.commit(request={"database": self.root, "writes": list(writes)}, retry=None)

    def get(self, *documents, mask=None):
        request = {"database": self.root, "documents": [self.name(document) for document in documents]}
        if mask is not None:
            request["mask"] = {"field_paths": mask}
        found = {}
        for one in self.client.batch_get_documents(request=request, retry=None):
            if "found" in one:
                found[one.found.name.rsplit("/", 1)[-1]] = one.found
            else:
                found[one.missing.rsplit("/", 1)[-1]] = None
        return found

    def fields(self, document, mask=None):
        return decode_dict(self.get(document, mask=mask)[document].fields, None)

    def make(self, document, fields=SEEN):
        self.commit(Write(update={"name": self.name(document), "fields": encode_dict(fields)}, current_document={"exists": False}))

    def equal(self, what, found, wanted):
        self.count += 1
        if found != wanted or type(found) is not type(wanted):
            raise AssertionError(f"{what}: {found!r}, not {wanted!r}")

    def refused(self, what, kinds, act):
        self.count += 1
        try:
            act()
        except kinds:
            return
        raise AssertionError(f"{what}: was taken")

    def post(self, path, body, token=None):
        """Status and body of a plain request."""
        request = urllib.request.Request(self.front.url + path, body, {"Authorization": f"Bearer {token}"} if token else {})
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def fetch(self, **changes):
        """A token, for claims that may be wrong."""
        now = int(time.time())
        claims = {"iss": "x", "scope": SCOPE, "aud": self.front.url + "/token", "iat": now, "exp": now + 3600} | changes
        assertion = jwt.encode(claims, self.front.key, algorithm="RS256", headers={"kid": "k1"})
        form = f"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion={assertion}"
        status, body = self.post("/token", form.encode())
        return json.loads(body) if status == 200 else status

    # What is tested.

    def updates(self):
        for number, (fields, mask, transforms, changes) in enumerate(UPDATES):
            document = f"update-{number}"
            self.make(document)
            before = self.get(document)[document].update_time
            self.commit(Write(update={"name": self.name(document), "fields": encode_dict(fields)}, update_mask={"field_paths": mask},
                              update_transforms=transforms, current_document={"update_time": before}))
            wanted = {name: value for name, value in (SEEN | changes).items() if value is not ...}
            self.equal(document, self.fields(document), wanted)
            self.equal(f"{document}: newer", self.get(document)[document].update_time > before, True)

    def readings(self):
        self.make("read")
        self.equal("missing", self.get("read", "nobody", "read").keys(), {"read": 0, "nobody": 0}.keys())
        self.equal("a mask", self.fields("read", ["ShopPoints", "Map.two", "Missing"]), {"ShopPoints": 5, "Map": {"two": 2}})
        self.equal("an empty mask shows nothing", self.fields("read", []), {})
        for user, number in (("7", 1), ("7", 2), (7, 3)):
            self.make(f"q{number}", {"UserID": user, "Level": number})
        query = StructuredQuery(from_=[{"collection_id": "Users"}], select={"fields": [{"field_path": "__name__"}]}, where={
            "field_filter": {"field": {"field_path": "UserID"}, "op": StructuredQuery.FieldFilter.Operator.EQUAL,
                             "value": encode_value("7")}})
        found = list(self.client.run_query(request={"parent": f"{self.root}/documents", "structured_query": query}, retry=None))
        self.equal("a query", sorted(one.document.name.rsplit("/", 1)[-1] for one in found), ["q1", "q2"])
        self.equal("names alone", [dict(one.document.fields) for one in found], [{}, {}])
        query.where.field_filter.value = encode_value("nobody")
        found = list(self.client.run_query(request={"parent": f"{self.root}/documents", "structured_query": query}, retry=None))
        self.equal("nothing found", ["document" in one for one in found], [False])

    def preconditions(self):
        self.make("kept")
        old = self.get("kept")["kept"].update_time
        change = {"name": self.name("kept"), "fields": encode_dict({"ShopPoints": 1})}
        mask = {"field_paths": ["ShopPoints"]}
        self.commit(Write(update=change, update_mask=mask))
        stale = (exceptions.BadRequest, exceptions.Conflict)
        # Either kind of error, by chance.
        for _ in range(8):
            self.refused("a stale time", stale, lambda: self.commit(
                Write(update=change, update_mask=mask, current_document={"update_time": old})))
        self.refused("made twice", exceptions.BadRequest, lambda: self.make("kept"))
        nobody = {"name": self.name("nobody"), "fields": encode_dict({"a": 1})}
        self.refused("a missing one", exceptions.NotFound, lambda: self.commit(Write(update=nobody, current_document={"exists": True})))
        for _ in range(4):
            self.refused("a missing one's time", (exceptions.NotFound, exceptions.BadRequest),
                         lambda: self.commit(Write(update=nobody, update_mask=mask, current_document={"update_time": old})))
        now = self.get("kept")["kept"].update_time
        self.commit(Write(update=change, update_mask=mask, current_document={"update_time": now}))
        self.equal("what changes nothing keeps its time", self.get("kept")["kept"].update_time, now)
        history = len(self.front.store.history)
        good = Write(update={"name": self.name("kept"), "fields": encode_dict({"ShopPoints": 99})}, update_mask=mask)
        bad = Write(update=change, update_mask=mask, current_document={"update_time": old})
        new = Write(update={"name": self.name("new"), "fields": encode_dict({"a": 1})})
        self.refused("all or none", stale, lambda: self.commit(good, new, bad))
        self.equal("none", (self.fields("kept")["ShopPoints"], self.get("new")["new"], len(self.front.store.history)), (1, None, history))
        self.equal("and its time", self.get("kept")["kept"].update_time, now)
        self.commit(Write(update=change))
        self.equal("no mask overwrites", self.fields("kept"), {"ShopPoints": 1})
        self.commit(Write(delete=self.name("kept")))
        self.equal("deleted", self.get("kept")["kept"], None)

    def limits(self):
        fields = {"Padding": ""}
        fields["Padding"] = "x" * (DOCUMENT_LIMIT - document_size("Users/large", fields))
        self.make("large", fields)
        self.refused("a byte too much", exceptions.BadRequest, lambda: self.commit(Write(
            update={"name": self.name("large"), "fields": encode_dict({"a": True})}, update_mask={"field_paths": ["a"]})))
        self.equal("as before", self.front.store.fields(self.name("large")), fields)
        for what, body in MALFORMED.items():
            for write in body["writes"]:
                write.setdefault("update", {})["name"] = self.name("new")
            status, answer = self.post(f"/v1/{self.root}/documents:commit", json.dumps(body).encode(), self.token)
            self.equal(f"{what} {answer}", status, 400)
        bodies = {"no JSON": b"{", "an array": b"[]", "a member twice": b'{"writes":[],"writes":[]}', "11 MiB": b" " * (11 << 20)}
        for what, body in bodies.items():
            self.equal(what, self.post(f"/v1/{self.root}/documents:commit", body, self.token)[0], 400)
        self.equal("each is a flaw", sum(flaw.startswith("commit: ") for flaw in self.front.flaws), len(MALFORMED) + 4)
        self.equal("another project", self.post("/v1/projects/x/databases/(default)/documents:commit", b"{}", self.token)[0], 404)
        self.equal("nothing was made", self.get("new")["new"], None)

    def tokens(self):
        for what, claims in {"scope": {"scope": "https://www.googleapis.com/auth/cloud-platform"}, "audience": {"aud": "x"},
                             "too long": {"exp": int(time.time()) + 9999}, "over": {"exp": int(time.time()) - 9}}.items():
            self.equal(what, self.fetch(**claims), 400)
        self.equal("no token", self.post(f"/v1/{self.root}/documents:commit", b"{}")[0], 401)
        other = self.fetch()["access_token"]
        self.equal("a token", self.post(f"/v1/{self.root}/documents:batchGet", b"{}", other)[0], 200)
        self.front.revoke()
        self.equal("no longer", self.post(f"/v1/{self.root}/documents:batchGet", b"{}", other)[0], 401)

    def faults(self):
        token = self.fetch()["access_token"]
        front, path = self.front, f"/v1/{self.root}/documents:commit"
        body = json.dumps({"writes": [{"update": {"name": self.name("counted")}, "updateMask": {"fieldPaths": []}, "updateTransforms": [
            {"fieldPath": "n", "increment": {"integerValue": "1"}}]}]}).encode()
        count = lambda: (front.store.fields(self.name("counted")) or {"n": 0})["n"]
        done = {"aborted": 0, "busy": 0, "unavailable": 0, "refused token": 0, "lost before": 0, "lost after": 1,
                "torn": 1, "slow": 1, "late": 1}
        for fault, by_one in done.items():
            before = count()
            front.faults.pick = lambda _, fault=fault: fault
            try:
                status = self.post(path, body, token)[0]
            except OSError as error:
                status = type(error).__name__
            except Exception as error:
                status = type(error).__name__
            self.equal(f"{fault} ({status})", count() - before, by_one)
            self.equal(f"{fault} is told", status == 200, fault == "slow")
        for fault in ("internal", "deadline", "garbage"):
            before = count()
            front.faults.pick = lambda _, fault=fault: fault
            for _ in range(20):
                self.post(path, body, token)
            self.equal(f"{fault}, done or not", 0 < count() - before < 20, True)
        del front.faults.pick
        self.equal("lost", front.lost(), 3 * 20 + 5)


def main():
    tests = Tests()
    random.seed(1)
    for test in (tests.updates, tests.readings, tests.preconditions, tests.limits, tests.tokens, tests.faults):
        try:
            test()
        finally:
            print("\n".join(flaw for flaw in tests.front.flaws if "this server failed" in flaw), end="")
        print(f"passed {test.__name__}", flush=True)
    tests.front.close()
    print(f"{tests.count} passed, 0 failed")


if __name__ == "__main__":
    main()
