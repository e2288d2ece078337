"""Google as far as pushes go: tokens for assertions that PyJWT verifies, and messages."""

import json
import threading
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from Shared import servers

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"


class Google:
    """Gives tokens and takes messages on a port of its own."""

    def __init__(self):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.lock = threading.Lock()
        self.tokens = 0
        self.flaws = []
        self.messages = []        # (device or topic, message)
        self.gone = set()         # tokens that are not registered any more
        self.manner = "well"      # or a status that messages are answered with
        self.refused = 0
        self.server = servers.Server(type("BoundHandler", (Handler,), {"google": self}))
        self.server.serve()

    @property
    def url(self):
        return self.server.url

    def close(self):
        self.server.close()

    def account(self):
        """A credentials file as Google's console gives it."""
        pem = self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                     serialization.NoEncryption())
        return json.dumps({
            "type": "service_account", "project_id": "cheer-supports-test", "private_key_id": "k1",
            "private_key": pem.decode(), "client_email": "push@cheer-supports-test.iam.gserviceaccount.com",
            "client_id": "1", "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": self.url + "/token"})

    def token(self, form):
        """The answer to an assertion, and what is wrong with it."""
        fields = parse_qs(form.decode(), strict_parsing=True)
        if fields.get("grant_type") != ["urn:ietf:params:oauth:grant-type:jwt-bearer"]:
            self.flaws.append(f"grant_type {fields.get('grant_type')}")
        try:
            claims = jwt.decode(fields["assertion"][0], self.key.public_key(), algorithms=["RS256"],
                                audience=self.url + "/token",
                                options={"require": ["iss", "scope", "aud", "iat", "exp"]})
            header = jwt.get_unverified_header(fields["assertion"][0])
            if claims["scope"] != SCOPE or claims["exp"] - claims["iat"] != 3600 or header["kid"] != "k1":
                self.flaws.append(f"claims {claims}, header {header}")
        except Exception as error:
            self.flaws.append(f"assertion: {error!r}")
        self.tokens += 1
        return {"access_token": f"token-{self.tokens}", "expires_in": 3599, "token_type": "Bearer"}


class Handler(servers.Handler):
    google = None

    def do_POST(self):
        body = self.body()
        with self.google.lock:
            if self.path == "/token":
                return self.answer(200, self.google.token(body))
            if self.path != "/v1/projects/cheer-supports-test/messages:send":
                self.google.flaws.append(f"path {self.path}")
            if self.headers["Authorization"] != f"Bearer token-{self.google.tokens}":
                return self.answer(401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}})
            document = json.loads(body)
            message = document["message"]
            target = message.get("token") or message.get("topic")
            if any(not isinstance(value, str) for value in message.get("data", {}).values()):
                self.google.flaws.append("data holds something else than texts")
            if target in self.google.gone:
                return self.answer(404, {"error": {"code": 404, "status": "NOT_FOUND", "details": [
                    {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": "UNREGISTERED"}]}})
            if self.google.manner != "well":
                self.google.refused += 1
                code = {400: "INVALID_ARGUMENT", 429: "QUOTA_EXCEEDED"}.get(self.google.manner, "UNAVAILABLE")
                return self.answer(self.google.manner, {"error": {"code": self.google.manner, "details": [
                    {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code}]}},
                    {"Retry-After": "1"} if self.google.manner == 429 else {})
            if not document.get("validate_only"):
                self.google.messages.append((target, message))
            self.answer(200, {"name": "projects/cheer-supports-test/messages/1"})

    def answer(self, status, document, headers={}):
        super().answer(status, json.dumps(document).encode(), {"Content-Type": "application/json", **headers})
