#!/usr/bin/env python3
"""A simulated API of the app: routes 603, 604 and 605 of a life, and days on which it refuses to answer.

Imported, it answers in a thread of the process. Run as `api.py LIFE.json`, it prints its port, and takes the instant of
each answer from the file `now` in the current folder.
"""

import json
import sys
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

from civil import UTC, parse, show

ROUTES = {"/channel/streaming/date/": "stream", "/channel/watch/streaming/": "watch", "/yell/info/get/": "gift"}
REASONS = {200: "OK", 403: "Forbidden", 404: "Not Found"}
TOKYO = timezone(timedelta(hours=9))
# A user, a kind, and what was told: activities with their start and, once they have ended, their end.
Told = Callable[[str, str, list[tuple[int, int | None]]], None]


class Server(ThreadingTCPServer):
    """Threads that end with the process, and a queue long enough for a burst of connections."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 256


class SimulatedAPI:
    """The server, on a port of its own of the loopback. `now` says when it is asked. Close it when done."""

    def __init__(self, activities: list[list], outages: list[list[int]], now: Callable[[], int], told: Told):
        self.activities, self.outages, self.now, self.told = activities, outages, now, told
        self.server = Server(("127.0.0.1", 0), handler(self))
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def answer(self, path: str) -> tuple[int, object]:
        """Status and document for a request."""
        prefix = next((prefix for prefix in ROUTES if path.startswith("/api/v1" + prefix)), None)
        if prefix is None:
            return 404, {}
        now = self.now()
        if any(start <= now < end for start, end in self.outages):
            return 403, {}
        user, kind = path.rsplit("/", 1)[-1], ROUTES[prefix]
        seen = [(start, end if end <= now else None)
                for name, what, start, end in self.activities if (name, what) == (user, kind) and start <= now]
        seen = sorted(seen, key=lambda one: one[0])
        seen = seen if kind == "watch" else seen[-1:]
        self.told(user, kind, seen)
        return 200, document(kind, seen)

    def close(self) -> None:
        """Ends the server."""
        self.server.shutdown()
        self.server.server_close()


def document(kind: str, seen: list[tuple[int, int | None]]) -> object:
    """The JSON of a route."""
    spans = [(show(start), None if end is None else mysql(end)) for start, end in seen]
    if kind == "watch":
        return [{"subscribe_start_at": start, "subscribe_end_at": end} for start, end in spans]
    if not spans:
        return {}
    if kind == "gift":
        return {"gift_id": 7, "userId_recieved_gift": 42, "created_at": spans[0][0]}
    return {"live_start_at": spans[0][0], "live_end_at": spans[0][1]}


def mysql(at: int) -> str:
    """An instant as text without a zone: it is then in the API's own."""
    return datetime.fromtimestamp(at, UTC).astimezone(TOKYO).strftime("%Y-%m-%d %H:%M:%S")


def handler(api: SimulatedAPI) -> type[StreamRequestHandler]:
    """A request handler that asks `api`; it reads no more of HTTP than a life needs, and so keeps up."""

    class Handler(StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self) -> None:
            try:
                while request := self.rfile.readline(65_536):
                    while self.rfile.readline(65_536).strip():
                        pass
                    status, body = api.answer(request.split()[1].decode())
                    content = json.dumps(body).encode()
                    head = (f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: application/json\r\n"
                            f"Content-Length: {len(content)}\r\n\r\n")
                    self.wfile.write(head.encode() + content)
            except ConnectionError:
                # The program was killed while it asked.
                return

    return Handler


if __name__ == "__main__":
    life = json.loads(Path(sys.argv[1]).read_text())
    served = SimulatedAPI(life["activities"], life["outages"], lambda: parse(Path("now").read_text().strip()),
                          lambda user, kind, seen: None)
    print(served.port, flush=True)
    threading.Event().wait()
