"""An installation with users, served by the program with some sinks."""

import json
import tempfile
import time
from pathlib import Path

from Shared.civil import show
from Shared.installation import Installation
from Shared.program import Failed, arguments, json_lines
from Shared.service import Service, end_all

SECRETS = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="]


class Place(Installation):
    last = None

    def __init__(self, program, users=40):
        Place.last = self
        self.temporary = tempfile.TemporaryDirectory(prefix="relay-")
        super().__init__(program, Path(self.temporary.name), {
            "users": "./users.jsonl", "inbox": {"everySeconds": 1}, "admin": {"listen": "127.0.0.1:0"}})
        self.users = [f"u{number}" for number in range(users)]
        self.serial = 0
        self.service = None
        for name, secret in zip(["secret", "previous"], SECRETS):
            self.write(name, secret + "\n", mode=0o600)

    def begin(self, relay, lines=None, **more):
        """Writes the configuration and brings the users in, by lines of the roster where these say more than UTC."""
        self.configure(relay=relay, **more)
        self.write("users.jsonl", json_lines(lines or ({"user": user, "timezone": "UTC"} for user in self.users)))
        self.run("users", "import", "users.jsonl")

    def webhook(self, url, **more):
        return {"kind": "webhook", "url": url, "secret": {"file": "./secret"}, **more}

    def push(self, google, texts=None):
        """A sink of pushes, with its account and its texts in files."""
        self.write("account.json", google.account(), mode=0o600)
        self.write("texts.json", json.dumps({"fallback": "en", "texts": {"reward.granted": texts}}))
        return {"kind": "fcm", "credentials": {"file": "./account.json"}, "endpoint": google.url} | (
            {"templates": "./texts.json"} if texts else {})

    def serve(self):
        self.service = Service(self)
        self.service.wait_until_it_answers(within=90)

    def stop(self, seconds=20):
        began = time.monotonic()
        code = self.service.stop(within=120)
        if code != 0 or time.monotonic() - began > seconds:
            raise Failed(f"the stop took {time.monotonic() - began:.1f} s and ended with {code}")

    def story(self):
        """What there is to see when something went wrong."""
        inbox = [str(path.relative_to(self.folder)) for path in (self.data / "inbox").rglob("*")]
        told = [self.run(*words, codes=None).out for words in (("relay", "status"), ("ledger", "stats"))]
        return "\n".join([self.service.log if self.service else "", *told, *inbox])

    def deeds(self, kind="comment"):
        """Hands in a file with one deed of every user."""
        self.serial += 1
        # Times have whole seconds here: a deed must not seem to come before its user.
        time.sleep(1.1)
        self.tell(self.serial, ({"user": user, "kind": kind, "id": f"{self.serial}-{user}"} for user in self.users))

    def tell(self, number, deeds):
        """Hands in a file with these deeds, which were done just now."""
        at = show(time.time())
        self.deliver(f"{number:06}.jsonl", json_lines({**deed, "at": at} for deed in deeds))

    def status(self):
        document = self.run("relay", "status", "--format", "json", codes=None).document
        return {sink["sink"]: sink for sink in document["sinks"]}

    def is_done(self):
        """Whether no sink has anything left to deliver."""
        return all(sink["waiting"] == 0 for sink in self.status().values())


def check(is_true, what):
    if not is_true:
        raise Failed(what)


def play(name, about, scene, **presets):
    """The script of one scene, which takes the program and options that are numbers; returns the exit code."""
    parser = arguments(about)
    for option, preset in presets.items():
        parser.add_argument(f"--{option}", type=type(preset), default=preset)
    chosen = vars(parser.parse_args())
    return 0 if passes(name, lambda: scene(**chosen)) else 1


def passes(name, scene):
    """Plays a scene, and says how it went; returns whether all was as it must be."""
    began = time.monotonic()
    try:
        told = scene()
    except Failed as error:
        print(f"FAILED {name}: {error}\n{Place.last.story()}", flush=True)
        return False
    finally:
        end_all()
    print(f"passed {name} ({time.monotonic() - began:.0f} s): {told}", flush=True)
    return True
