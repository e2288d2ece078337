"""Google's front before the store: tokens for assertions that PyJWT verifies, and the REST calls of Firestore.

Every request is read by google-cloud-firestore's own types: what those do not know is an error, here as there.
"""

import json
import random
import re
import socket
import threading
import time
import traceback
from urllib.parse import parse_qs, unquote

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.cloud.firestore_v1.types import BatchGetDocumentsRequest, CommitRequest, RunQueryRequest
from google.protobuf.json_format import MessageToDict

from Shared import servers
from Store.faults import COMMIT_FAULTS, LOST, READ_FAULTS, TOKEN_FAULTS, Faults
from Store.firestore import CODES, Firestore, Refused

PROJECT = "cheer-supports-test"
SCOPE = "https://www.googleapis.com/auth/datastore"
REQUEST_LIMIT, BATCH_LIMIT = 10 << 20, 100
CALL = re.compile(r"/v1/(projects/[^/]+/databases/[^/]+)/documents:(batchGet|runQuery|commit)")
SINK = "sink"
# What the sink may write; everything else in a document is none of its own.
OWN_FIELDS = {"ShopPoints", "TotalExp", "Level", "OwnedItems", "ExpBoosterEndDay", "ConsecutiveLogin", "TotalLogin", "DailyReward",
              "MissionRewards", "Rewards"}


class Front:
    """A server on a port of its own. `flaws` are requests that no client should have sent."""

    def __init__(self, seed, rate=1.0, timeout=1, token_seconds=20.0, collection="Users"):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        # What time it is there.
        self.now = time.time
        self.store = Firestore(PROJECT, random.Random(f"store {seed}"), lambda: self.now())
        self.faults = Faults(seed, rate)
        self.timeout, self.token_seconds, self.collection = timeout, token_seconds, collection
        self.lock = threading.Lock()
        self.flaws = []
        self.tokens = {}          # token -> until when it is good, on the monotonic clock
        self.refusals = []        # what the store itself refused
        self.server = servers.Server(type("BoundHandler", (Handler,), {"front": self}))
        self.server.serve()

    @property
    def url(self):
        """The address of its root."""
        return self.server.url

    @property
    def counts(self):
        """How often what happened."""
        return self.faults.counts

    def lost(self):
        """How many commits had an answer from which the client cannot know what became of them."""
        return sum(self.counts[f"commit {fault}"] for fault in LOST)

    def close(self):
        """Ends the server."""
        self.server.close()

    def account(self):
        """A credentials file as Google's console gives it."""
        pem = self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return json.dumps({
            "type": "service_account", "project_id": PROJECT, "private_key_id": "k1", "private_key": pem.decode(),
            "client_email": f"rewards@{PROJECT}.iam.gserviceaccount.com", "client_id": "1",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": self.url + "/token"})

    def flaw(self, what):
        """Notes what a client does wrong."""
        with self.lock:
            self.flaws.append(what)

    def token(self, form):
        """A token for an assertion. Some say that they last no longer than a client needs to keep one at all."""
        fields = parse_qs(form.decode(), strict_parsing=True)
        if fields.get("grant_type") != ["urn:ietf:params:oauth:grant-type:jwt-bearer"]:
            raise Refused("INVALID_ARGUMENT", f"grant_type {fields.get('grant_type')}")
        try:
            claims = jwt.decode(fields["assertion"][0], self.key.public_key(), algorithms=["RS256"], audience=self.url + "/token",
                                options={"require": ["iss", "scope", "aud", "iat", "exp"], "verify_iat": False, "verify_exp": False})
            header = jwt.get_unverified_header(fields["assertion"][0])
        except (jwt.PyJWTError, KeyError) as error:
            raise Refused("INVALID_ARGUMENT", f"assertion: {error!r}") from None
        is_timely = claims["iat"] <= self.now() < claims["exp"] <= claims["iat"] + 3600
        if claims["scope"] != SCOPE or not is_timely or header["kid"] != "k1":
            raise Refused("INVALID_ARGUMENT", f"claims {claims}, header {header}")
        with self.lock:
            token = f"ya29.{len(self.tokens)}-{random.getrandbits(64):x}"
            self.tokens[token] = time.monotonic() + self.token_seconds
            return {"access_token": token, "expires_in": 61 if len(self.tokens) % 3 == 0 else 3599, "token_type": "Bearer"}

    def admit(self, header):
        """Refuses a token that was never given, or is no longer good."""
        token = (header or "").removeprefix("Bearer ")
        with self.lock:
            until = self.tokens.get(token)
        if until is None:
            self.flaw(f"a token that nobody gave: {header!r}")
        if until is None or until < time.monotonic():
            self.faults.count("expired tokens")
            raise Refused("UNAUTHENTICATED", "Request had invalid authentication credentials.")

    def revoke(self):
        """No token is good any more."""
        with self.lock:
            self.tokens = dict.fromkeys(self.tokens, 0.0)

    def request(self, path, body):
        """A call and the request that it carries."""
        found = CALL.fullmatch(unquote(path.partition("?")[0]))
        if not found or found[1] != self.store.root:
            raise Refused("NOT_FOUND", f"there is no {path}")
        if len(body) > REQUEST_LIMIT:
            raise Refused("INVALID_ARGUMENT", "Request payload size exceeds the limit: 11534336 bytes.")
        kind = {"batchGet": BatchGetDocumentsRequest, "runQuery": RunQueryRequest, "commit": CommitRequest}[found[2]]
        try:
            if not isinstance(json.loads(body, object_pairs_hook=once), dict):
                raise ValueError("no object")
            request = kind.from_json(body)
        except Exception as error:
            raise Refused("INVALID_ARGUMENT", f"Invalid JSON payload received: {error}") from None
        field, value = ("parent", f"{self.store.root}/documents") if found[2] == "runQuery" else ("database", self.store.root)
        if getattr(request, field) not in ("", value):
            raise Refused("INVALID_ARGUMENT", f"{field} is {getattr(request, field)}, and not {value}")
        setattr(request, field, value)
        return found[2], request

    def carry_out(self, call, request):
        """Reads or writes; returns the answer's document."""
        if call == "commit":
            with self.store.lock:
                self.inspect(request)
                response = self.store.commit(request, SINK)
            self.faults.count("commits")
            self.faults.counts["writes"] += len(request.writes)
            return shown(response)
        self.faults.count(call)
        if call == "batchGet":
            self.faults.counts["documents read"] += len(request.documents)
            return [shown(one) for one in self.store.batch_get(request)]
        return [shown(one) for one in self.store.run_query(request)]

    def inspect(self, request):
        """Notes writes that might lose or overwrite what others have written."""
        if not 0 < len(request.writes) <= BATCH_LIMIT:
            self.flaw(f"{len(request.writes)} writes in one commit")
        names = [write.update.name for write in request.writes]
        if len(set(names)) != len(names):
            self.flaw("a document twice in one commit")
        for write in request.writes:
            name, mask = write.update.name, list(write.update_mask.field_paths)
            if not name.startswith(f"{self.store.root}/documents/{self.collection}/"):
                self.flaw(f"a write to {name or write}")
            if "update_mask" not in write:
                self.flaw(f"a write without a mask, which overwrites {name}")
            if "update_time" not in write.current_document:
                self.flaw(f"a write to {name} that asks for no updateTime")
            touched = {text.split(".")[0] for text in [*mask, *(one.field_path for one in write.update_transforms)]}
            if not touched <= OWN_FIELDS:
                self.flaw(f"a write to {touched - OWN_FIELDS} of {name}")
            if not set(write.update.fields) <= {text.split(".")[0] for text in mask}:
                self.flaw(f"fields of {name} that are not in the mask {mask}: {list(write.update.fields)}")
            if not {"Rewards"} & touched:
                self.flaw(f"a write to {name} without the position: {touched}")


def once(pairs):
    """The members of an object, each once."""
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a member stands twice")
    return document


def shown(response):
    """An answer as REST has it."""
    return MessageToDict(type(response).pb(response))


class Handler(servers.Handler):
    front = None

    def do_POST(self):
        body = self.body()
        front, faults = self.front, self.front.faults
        is_token = self.path == "/token"
        call = "token" if is_token else self.path.partition("?")[0].rpartition(":")[2]
        fault = faults.pick(TOKEN_FAULTS if is_token else COMMIT_FAULTS if call == "commit" else READ_FAULTS)
        if fault:
            faults.count(f"{call} {fault}")
        try:
            self.play(call, fault, lambda: self.carry_out(is_token, body))
        except Refused as error:
            if error.status == "INVALID_ARGUMENT" and "maximum allowed size" not in error.message:
                front.flaw(f"{call}: {error.message[:500]}")
            with front.lock:
                front.refusals.append(error)
            faults.count(f"{call} refused as {error.status}")
            self.tell(CODES[error.status], error.document)
        except OSError:
            # The client has gone.
            self.close_connection = True
        except Exception:
            front.flaw(f"{call}: this server failed: {traceback.format_exc()[-1500:]}")
            self.drop()

    def carry_out(self, is_token, body):
        front = self.front
        if is_token:
            return front.token(body)
        front.admit(self.headers["Authorization"])
        return front.carry_out(*front.request(self.path, body))

    def play(self, call, fault, work):
        """Does the work, and tells of it in the fault's way."""
        faults = self.front.faults
        refusals = {"aborted": "ABORTED", "busy": "RESOURCE_EXHAUSTED", "unavailable": "UNAVAILABLE", "refused token": "UNAUTHENTICATED"}
        if fault in refusals:
            raise Refused(refusals[fault], f"injected: {fault}")
        if fault in ("internal", "deadline"):
            self.tried(work, when=faults.flips())
            raise Refused("INTERNAL" if fault == "internal" else "DEADLINE_EXCEEDED", f"injected: {fault}")
        if fault == "garbage":
            self.tried(work, when=faults.flips())
            return self.answer(200, faults.garbage(), {"Content-Type": "application/json; charset=UTF-8"})
        if fault == "lost before":
            return self.drop()
        if fault == "late":
            # The client has given up, read and perhaps written again before this is carried out.
            time.sleep(self.front.timeout * 1.5)
            self.tried(work)
            return self.drop()
        document = work()
        if fault == "lost after":
            return self.drop()
        if fault == "slow":
            time.sleep(self.front.timeout * 1.5)
        if fault == "torn":
            content = json.dumps(document).encode()
            self.answer(200, content[:len(content) // 2], {"Content-Type": "application/json; charset=UTF-8"}, length=len(content))
            return self.drop()
        return self.tell(200, document)

    def tried(self, work, when=True):
        """Does the work of which nobody will hear."""
        try:
            if when:
                work()
        except Refused as error:
            self.front.faults.count(f"unheard refusal {error.status}")

    def tell(self, status, document):
        headers = {"Content-Type": "application/json; charset=UTF-8"}
        if status == 429:
            headers["Retry-After"] = "1"
        self.answer(status, json.dumps(document).encode(), headers)

    def drop(self):
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
