"""What operators do at night, as scenes for failing calls: a reconciliation with looks, a plan that is applied, a backup, an index,
segments that are packed.

What has to come of it is what a healthy run of the same command makes: the same grants with the same amounts, the same closes.
"""

import json
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import ledger
from outcome import Broken
from place import SEGMENT, Place, user_lines
from program import run as run_program
from scenes import must_end_well

NIGHTS = ["reconcile", "backfill", "backup", "index", "compact"]
USERS = [f"u{number}" for number in range(6)]
BEGIN, NIGHT, LATER, NOW = (f"2026-11-{at}Z" for at in ("01T00:00:00", "03T02:00:00", "04T12:00:00", "04T12:05:00"))
BACKUP = "kept"


class Night:
    """A state of the data folder before a command of a night, and what is to be there after it."""

    logins = "the night's grants"

    def __init__(self, name, options, outcome):
        self.name = name
        # Answers come in any order, and are written down as they come.
        self.is_steady = name != "reconcile"
        self.api = API()
        self.home = Place(options, outcome, api=self.api.port)
        self.home.write("users.jsonl", user_lines(USERS))
        self.home.write("comments.jsonl", comment_lines("2026-11-01", USERS[:4]) + comment_lines("2026-11-02", USERS[2:]))
        self.home.write("late.jsonl", comment_lines("2026-11-02", USERS[:2]))
        self.run("users", "import", "users.jsonl", at=BEGIN)
        self.run("ingest", "comments.jsonl", at=NIGHT)
        if name == "reconcile":
            self.words = ("reconcile", "--now", NIGHT)
        else:
            self.run("reconcile", at=NIGHT)
            self.run("ingest", "late.jsonl", at=LATER)
            self.words = self.prepare(name)
        self.wanted = self.made_by_a_healthy_run(options, outcome)

    def prepare(self, name):
        """The words of the command."""
        if name == "backfill":
            self.run("backfill", "--plan", "plan.jsonl", at=LATER)
            return ("backfill", "--apply", "plan.jsonl", "--now", NOW)
        if name == "backup":
            # There is an older one, to which the new one is added.
            self.run("ledger", "backup", str(self.home.data / BACKUP), at=NIGHT, codes=(0, 1))
            self.run("reconcile", at=LATER)
            return ("ledger", "backup", BACKUP)
        if name == "compact":
            divide(self.home.ledger)
            return ("ledger", "compact")
        return ("ledger", "index")

    def run(self, *words, at, codes=(0, 1)):
        done = run_program(self.home, *words, *(() if words[0] == "ledger" else ("--now", at)))
        if done.returncode not in codes:
            raise Broken(f"{self.name}: {' '.join(words)} ended with {done.returncode}: {done.stderr}")

    def made_by_a_healthy_run(self, options, outcome):
        """What stands in the ledger once the command has run."""
        place = Place(options, outcome, api=self.api.port)
        self.copy_to(place)
        must_end_well(run_program(place, *self.words_at(place)))
        made = summary(ledger.read(place.ledger))
        shutil.rmtree(place.path)
        return made

    def words_at(self, place):
        """The command line at a place."""
        return tuple(str(place.data / word) if word == BACKUP else word for word in self.words)

    def copy_to(self, place):
        """Puts the state in place of what is there."""
        shutil.rmtree(place.data, ignore_errors=True)
        shutil.copytree(self.home.data, place.data)
        place.configure(api=self.api.port)
        for file in self.home.path.glob("*.jsonl"):
            shutil.copy(file, place.path)

    def is_done(self, found):
        """Whether the ledger has what a healthy run makes: no grant more, none less."""
        return summary(found) == self.wanted

    def is_repaired(self, place):
        """Whether what lies beside the ledger can be used."""
        if self.name == "backup":
            code = run_program(place, "ledger", "verify", "--data", str(place.data / BACKUP)).returncode
            return code == 0
        if self.name == "compact":
            names = sorted(path.name for path in place.ledger.iterdir())
            return [name.endswith(".jsonl.zst") for name in names] == [True, True, False] and names[2].endswith(".jsonl")
        return True


def divide(folder):
    """Makes three segments of a ledger's one, as if it had been too long twice."""
    whole = folder / SEGMENT
    ends = ledger.read(folder).ends
    text = whole.read_bytes()
    cuts = [0, ends[len(ends) // 3], ends[2 * len(ends) // 3], len(text)]
    for begin, end in zip(cuts, cuts[1:]):
        first = text[:begin].count(b"\n") + 1
        (folder / f"{first:020}.jsonl").write_bytes(text[begin:end])


def summary(found):
    """What a night has brought."""
    return sorted(found.amounts.items()), sorted(found.closes)


def comment_lines(day, users):
    """Lines that say that each of these users has commented on a day, in UTC."""
    return "".join(f'{{"user":"{user}","kind":"comment","at":"{day}T10:00:00Z"}}\n' for user in users)


class API:
    """The app's API: everybody but the first has streamed, watched and given on the second day."""

    def __init__(self):
        class Handler(BaseHTTPRequestHandler):
            """One answer, whatever the time."""

            def do_GET(self):
                body = json.dumps(answer(self.path)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            """Says nothing of clients that were killed."""

            def handle_error(self, *_):
                pass

        server = Server(("127.0.0.1", 0), Handler)
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()


def answer(path):
    """What a route tells."""
    if path.rstrip("/").split("/")[-1] == USERS[0]:
        return [] if "watch" in path else {}
    if "/channel/streaming/date/" in path:
        return {"live_start_at": "2026-11-02T12:00:00.000Z", "live_end_at": "2026-11-02T13:00:00.000Z"}
    if "/channel/watch/streaming/" in path:
        return [{"subscribe_start_at": "2026-11-02T14:00:00.000Z", "subscribe_end_at": "2026-11-02T14:30:00.000Z"}]
    return {"gift_id": 7, "userId_recieved_gift": 42, "created_at": "2026-11-02T15:00:00.000Z"}
