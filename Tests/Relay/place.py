"""A data folder with users, served by the program with some sinks."""

import argparse
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

SECRETS = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="]


class Broken(Exception):
    """Something is not as it must be."""


class Place:
    last = None

    def __init__(self, program, users=40):
        Place.last = self
        self.program = program
        self.folder = tempfile.TemporaryDirectory(prefix="relay-")
        self.path = Path(self.folder.name)
        self.users = [f"u{number}" for number in range(users)]
        self.serial = 0
        self.service = None
        for name, secret in zip(["secret", "previous"], SECRETS):
            (self.path / name).write_text(secret + "\n")
            (self.path / name).chmod(0o600)
        (self.path / "jobs").mkdir()
        (self.path / "users.jsonl").write_text(
            "".join(json.dumps({"user": user, "timezone": "UTC"}) + "\n" for user in self.users))

    def configure(self, relay, **more):
        document = {
            "data": "./data", "users": "./users.jsonl", "jobs": "./jobs", "relay": relay,
            "inbox": {"everySeconds": 1}, "admin": {"listen": "127.0.0.1:0"}, **more,
        }
        (self.path / "rewards.json").write_text(json.dumps(document))

    def webhook(self, url, **more):
        return {"kind": "webhook", "url": url, "secret": {"file": "./secret"}, **more}

    def run(self, *words, code=0):
        done = subprocess.run(
            [self.program, *words, "--config", str(self.path / "rewards.json")], cwd=self.path,
            env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        if code is not None and done.returncode != code:
            raise Broken(f"{' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    @property
    def environment(self):
        return {"PATH": os.environ["PATH"], "REWARDS_DRAW_SECRET": "the draws of a test"}

    def serve(self):
        self.log = open(self.path / f"serve-{time.monotonic_ns()}.log", "wb+")
        self.service = subprocess.Popen(
            [self.program, "serve", "--config", str(self.path / "rewards.json"), "--log-level", "info"],
            cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.log)
        wait(lambda: self.service.poll() is not None or self.is_alive(), "the service")
        if self.service.poll() is not None:
            raise Broken(f"serve ended: {self.logged()}")

    def is_alive(self):
        return self.run("relay", "status", code=None).returncode in (0, 1) and "serving" in self.logged()

    def logged(self):
        if not self.service:
            return ""
        return Path(self.log.name).read_text()

    def stop(self, seconds=20):
        began = time.monotonic()
        self.service.send_signal(signal.SIGTERM)
        code = self.service.wait(timeout=120)
        if code != 0 or time.monotonic() - began > seconds:
            raise Broken(f"the stop took {time.monotonic() - began:.1f} s and ended with {code}")

    def end(self):
        """Leaves no service behind, whatever has become of it."""
        if self.service and self.service.poll() is None:
            self.kill()

    def story(self):
        """What there is to see when something went wrong."""
        inbox = [str(path.relative_to(self.path)) for path in (self.path / "data" / "inbox").rglob("*")]
        return "\n".join([self.logged(), self.run("relay", "status", code=None).stdout,
                          self.run("ledger", "stats", code=None).stdout, *inbox])

    def kill(self):
        self.service.kill()
        self.service.wait()

    def deeds(self, kind="comment"):
        """Hands in a file with one deed of every user."""
        self.serial += 1
        # Times have whole seconds here: a deed must not seem to come before its user.
        time.sleep(1.1)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        lines = [json.dumps({"user": user, "kind": kind, "at": at, "id": f"{self.serial}-{user}"})
                 for user in self.users]
        incoming = self.path / "data" / "inbox" / "incoming"
        part = incoming / f".{self.serial}.part"
        part.write_text("\n".join(lines) + "\n")
        part.rename(incoming / f"{self.serial}.jsonl")

    def status(self):
        document = json.loads(self.run("relay", "status", "--format", "json", code=None).stdout)
        return {sink["sink"]: sink for sink in document["sinks"]}


def free_port():
    """A port that nobody listens on just now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait(is_true, what, seconds=90):
    """Waits for something outside of this process."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if is_true():
            return
        time.sleep(0.05)
    raise Broken(f"{what} did not come within {seconds} s")


def check(is_true, what):
    if not is_true:
        raise Broken(what)


def play(name, about, scene, **presets):
    """The script of one scene, which takes the program and options that are numbers; returns the exit code."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("program")
    for option, preset in presets.items():
        parser.add_argument(f"--{option}", type=type(preset), default=preset)
    arguments = vars(parser.parse_args())
    return 0 if passes(name, lambda: scene(**arguments)) else 1


def passes(name, scene):
    """Plays a scene, and says how it went; returns whether all was as it must be."""
    began = time.monotonic()
    try:
        told = scene()
    except Broken as error:
        print(f"FAILED {name}: {error}\n{Place.last.story()}", flush=True)
        return False
    finally:
        Place.last.end()
    print(f"passed {name} ({time.monotonic() - began:.0f} s): {told}", flush=True)
    return True
