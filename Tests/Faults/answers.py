"""What the app's API may do to the one who asks: large answers to everybody at once, and a listener on the wire who would
like to have the keys of its connections."""

import json
import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from outcome import Broken, Unable
from place import Place, user_lines
from program import run as run_program

USERS = 64
ANSWER_BYTES = 900_000
# What the project promises for a body of the largest size on each of 64 connections.
MEMORY_KIB = 64 << 10


def run(options, outcome):
    """Both, each in places of its own."""
    memory(options, outcome)
    keys(options, outcome)


class API(ThreadingHTTPServer):
    """An API whose answers about watched streams have `size` bytes and come all at the same time."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, size):
        super().__init__(("127.0.0.1", 0), Route)
        entry = b'{"subscribe_start_at":"2020-01-01 00:00:00","subscribe_end_at":"2020-01-01 00:00:01"}'
        count = max(1, size // (len(entry) + 1))
        self.watched = b"[" + b",".join([entry] * count) + b"]"
        self.together = threading.Barrier(USERS)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Whoever has gone away needs no report."""


class Route(BaseHTTPRequestHandler):
    """Nothing happened, but for what was watched."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """One route for one user."""
        body = self.server.watched if "/watch/" in self.path else b"{}"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if "/watch/" not in self.path:
            return self.wfile.write(body)
        # All answers but for their last byte are there before the first is whole.
        self.wfile.write(body[:-1])
        self.wfile.flush()
        try:
            self.server.together.wait(20)
        except threading.BrokenBarrierError:
            pass
        return self.wfile.write(body[-1:])

    def log_message(self, *_):
        """Says nothing."""


def memory(options, outcome):
    """The highest memory of a run with large answers, beside that of one with small ones."""
    highest = {}
    for name, size in [("small", 100), ("large", ANSWER_BYTES)]:
        api = API(size)
        place = Place(options, outcome)
        settings = json.loads((place.path / "rewards.json").read_text())
        settings["api"] = {"baseURL": f"http://127.0.0.1:{api.server_port}", "concurrency": USERS,
                           "token": {"env": "API_TOKEN"}, "requestsPerSecond": 100_000,
                           "timeoutSeconds": 30}
        (place.path / "rewards.json").write_text(json.dumps(settings))
        roster = place.write("users.jsonl", user_lines(f"u{n}" for n in range(USERS)))
        run_program(place, "users", "import", str(roster), API_TOKEN="x")
        report = place.path / "time"
        done = run_program(place, "reconcile", wrapper=["/usr/bin/env", "python3", "-c", PEAK, report],
                           timeout=120, API_TOKEN="x")
        if done.returncode not in (0, 1):
            raise Broken(f"reconcile ended with {done.returncode}: {done.stderr[-500:]}")
        highest[name] = int(report.read_text())
        api.shutdown()
    more = highest["large"] - highest["small"]
    outcome.worst("KiB for 64 large answers", more)
    if more > MEMORY_KIB:
        outcome.breach(f"{more >> 10} MiB more memory for {USERS} answers of {ANSWER_BYTES} bytes")


PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


def keys(options, outcome):
    """A TLS server and $SSLKEYLOGFILE: nothing may be written there."""
    if shutil.which("openssl") is None:
        raise Unable("there is no openssl: install the package openssl")
    place = Place(options, outcome)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-keyout", place.path / "key.pem", "-out", place.path / "cert.pem"],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place.path / "cert.pem", place.path / "key.pem")
    api = ThreadingHTTPServer(("127.0.0.1", 0), Route)
    met = threading.Event()
    api.handle_error = lambda *_: met.set()
    api.socket = context.wrap_socket(api.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    settings = json.loads((place.path / "rewards.json").read_text())
    settings["api"] = {"baseURL": f"https://127.0.0.1:{api.server_port}", "token": {"env": "API_TOKEN"}}
    (place.path / "rewards.json").write_text(json.dumps(settings))
    key_log = place.path / "keys"
    done = run_program(place, "doctor", timeout=60, API_TOKEN="x", SSLKEYLOGFILE=str(key_log))
    if not met.wait(10):
        raise Broken(f"nobody came to the TLS server: {done.stdout[-500:]}")
    outcome.add("connections over TLS")
    if key_log.exists():
        outcome.breach("$SSLKEYLOGFILE is honoured: whoever reads it reads the token")
    api.shutdown()
