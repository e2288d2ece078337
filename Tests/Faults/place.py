"""A folder with all that the program needs: configuration, roster, jobs, the draw secret."""

import json
import os
import tempfile
from datetime import datetime, timezone
from pathlib import Path

SEGMENT = "00000000000000000001.jsonl"


class Place:
    """A place of its own in the folder of a test, which stays when the test has failed."""

    def __init__(self, options, outcome, admin="127.0.0.1:0", relay=False, api=None):
        # Short: the name of a socket has at most 107 bytes.
        self.path = Path(tempfile.mkdtemp(prefix="place-", dir=outcome.folder)).resolve()
        self.program = options.program
        self.data = self.path / "data"
        self.ledger = self.data / "ledger"
        self.state = self.data / "state"
        self.incoming = self.data / "inbox" / "incoming"
        self.socket = self.data / "control.sock"
        self.lock = self.data / "lock"
        self.events = self.path / "events.jsonl"
        (self.path / "jobs").mkdir()
        self.configure(admin, relay, api)

    def configure(self, admin="127.0.0.1:0", relay=False, api=None):
        """Writes the configuration: the API at a port or none, the inbox read every second."""
        sinks = {"journal": {"kind": "file", "path": str(self.events)}} if relay else {}
        settings = {
            "data": str(self.data), "users": str(self.path / "users.jsonl"),
            "jobs": str(self.path / "jobs"), "defaultTimeZone": "UTC",
            "inbox": {"everySeconds": 1}, "relay": sinks, "admin": {"listen": admin},
        }
        if api:
            settings["api"] = {"baseURL": f"http://127.0.0.1:{api}", "token": {"env": "API_TOKEN"}, "timeZone": "UTC"}
        (self.path / "rewards.json").write_text(json.dumps(settings))

    def words(self, *words):
        """The command line for `words` at this place."""
        return [str(self.program), *words, "--config", str(self.path / "rewards.json")]

    def environment(self, **more):
        """The variables that the program needs, and no others but `more`."""
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TZDIR")
                if name in os.environ}
        return {**kept, "REWARDS_DRAW_SECRET": "the draws of a test, always the same", "API_TOKEN": "token", **more}

    def write(self, name, text):
        """Writes a file beside the configuration and returns its path."""
        path = self.path / name
        path.write_text(text)
        return path

    def deliver(self, name, text):
        """Puts a file into the inbox as another program does: under another name first."""
        temporary = self.incoming / f".{name}"
        temporary.write_text(text)
        temporary.rename(self.incoming / name)

    def waiting(self):
        """The files that wait in the inbox."""
        if not self.incoming.exists():
            return []
        return sorted(p for p in self.incoming.iterdir()
                      if not p.name.startswith(".") and not p.name.endswith(".tmp"))


def user_lines(users):
    """Roster lines for these users, in UTC."""
    return "".join(f'{{"user":"{user}","timezone":"UTC"}}\n' for user in users)


def login_lines(users):
    """Lines that say that each of these users has just logged in."""
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return "".join(f'{{"user":"{user}","kind":"login","at":"{now}"}}\n' for user in users)
