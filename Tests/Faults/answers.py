"""What the app's API may do to the one who asks: large answers to everybody at once, and a listener on the wire who would
like to have the keys of its connections."""

import shutil
import ssl
import subprocess
import sys
import threading

from Faults.place import Place, user_lines
from Shared.program import Failed, Unable
from Shared.servers import Handler, Server

USERS = 64
ANSWER_BYTES = 900_000
# What the project promises for a body of the largest size on each of 64 connections.
MEMORY_KIB = 64 << 10


def run(options, outcome):
    """Both, each in places of its own."""
    memory(options, outcome)
    keys(options, outcome)


class API(Server):
    """An API whose answers about watched streams have `size` bytes and come all at the same time."""

    def __init__(self, size):
        super().__init__(Route)
        entry = b'{"subscribe_start_at":"2020-01-01 00:00:00","subscribe_end_at":"2020-01-01 00:00:01"}'
        count = max(1, size // (len(entry) + 1))
        self.watched = b"[" + b",".join([entry] * count) + b"]"
        self.together = threading.Barrier(USERS)
        self.serve()


class Route(Handler):
    """Nothing happened, but for what was watched."""

    def do_GET(self):
        """One route for one user."""
        if "/watch/" not in self.path:
            return self.answer(200, b"{}")
        body = self.server.watched
        # All answers but for their last byte are there before the first is whole.
        self.answer(200, body[:-1], length=len(body))
        self.wfile.flush()
        try:
            self.server.together.wait(20)
        except threading.FailedBarrierError:
            pass
        return self.wfile.write(body[-1:])


def memory(options, outcome):
    """The highest memory of a run with large answers, beside that of one with small ones."""
    highest = {}
    for name, size in [("small", 100), ("large", ANSWER_BYTES)]:
        api = API(size)
        place = Place(options, outcome, api={
            "baseURL": api.url, "concurrency": USERS, "token": {"env": "CHEER_API_TOKEN"}, "requestsPerSecond": 100_000,
            "timeoutSeconds": 30})
        place.run("users", "import", "-", given=user_lines(f"u{n}" for n in range(USERS)))
        report = place.folder / "time"
        place.run("reconcile", machine=(sys.executable, "-c", PEAK, report), codes=(0, 1))
        highest[name] = int(report.read_text())
        api.close()
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
    key, certificate, key_log = (place.folder / name for name in ("key.pem", "cert.pem", "keys"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    api = Server(Route)
    met = threading.Event()
    api.handle_error = lambda *_: met.set()
    api.socket = context.wrap_socket(api.socket, server_side=True, do_handshake_on_connect=False)
    api.serve()
    place.configure(api={"baseURL": api.url.replace("http", "https"), "token": {"env": "CHEER_API_TOKEN"}})
    answer = place.run("doctor", codes=None, SSLKEYLOGFILE=str(key_log))
    if not met.wait(10):
        raise Failed(f"nobody came to the TLS server: {answer.said}")
    outcome.add("connections over TLS")
    if key_log.exists():
        outcome.breach("$SSLKEYLOGFILE is honoured: whoever reads it reads the token")
    api.close()
