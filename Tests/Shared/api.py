#!/usr/bin/env python3
"""A simulated API of the app: what users did on routes 603, 604 and 605, up to nine seconds late, and outages.

Imported, it answers in a thread of the process. Run as `api.py LIFE.json`, it prints its port, and takes the instant of
each answer from the file `now` in the current folder.
"""

import json
import sys
import threading
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from socketserver import StreamRequestHandler

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parent.parent))

from Shared.civil import parse
from Shared.installation import TOKEN
from Shared.servers import Server

ROUTES = {"/channel/streaming/date/": "stream", "/channel/watch/streaming/": "watch", "/yell/info/get/": "gift"}
REASONS = {200: "OK", 403: "Forbidden", 404: "Not Found", 503: "Service Unavailable"}
TOKYO = timezone(timedelta(hours=9))
# A user, a kind, and what was told: activities with their start and, once they have ended, their end.
Told = Callable[[str, str, list[tuple[int, int | None]]], None]


class SimulatedAPI:
    """The server, on a port of its own of the loopback. `now` says when it is asked. Close it when done."""

    def __init__(self, activities: list[list], outages: list[list[int]], now: Callable[[], int], told: Told, refusal: int = 403):
        self.outages, self.now, self.told, self.refusal = outages, now, told, refusal
        self.activities: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for user, kind, start, end in sorted(activities, key=lambda one: one[2]):
            self.activities.setdefault((user, kind), []).append((start, end))
        self.server = Server(handler(self))
        self.server.serve()
        self.url = f"{self.server.url}/api/v1"

    @property
    def settings(self) -> dict:
        """The part of a configuration that names it."""
        return {"baseURL": self.url, "token": {"env": "CHEER_API_TOKEN"}, "requestsPerSecond": 5000, "concurrency": 8}

    def answer(self, path: str, token: str) -> tuple[int, object]:
        """Status and document for a request."""
        kind = next((kind for prefix, kind in ROUTES.items() if path.startswith("/api/v1" + prefix)), None)
        if kind is None or token != f"Bearer {TOKEN}":
            return 404, {}
        now = self.now()
        if any(start <= now < end for start, end in self.outages):
            return self.refusal, {}
        user = path.rsplit("/", 1)[-1]
        as_of = now - zlib.crc32(f"{now}/{user}/{kind}".encode()) % 10
        seen = [(start, end if end <= as_of else None)
                for start, end in self.activities.get((user, kind), ()) if start <= as_of]
        seen = seen if kind == "watch" else seen[-1:]
        self.told(user, kind, seen)
        return 200, document(kind, seen, style=zlib.crc32(user.encode()) % 3)

    def close(self) -> None:
        """Ends the server."""
        self.server.close()


def document(kind: str, seen: list[tuple[int, int | None]], style: int) -> object:
    """The JSON of a route, with times written in one of the ways that the app uses."""
    spans = [(text(start, style), None if end is None else text(end, style)) for start, end in seen]
    if kind == "watch":
        return [{"subscribe_start_at": start, "subscribe_end_at": end} for start, end in spans]
    if not spans:
        return {}
    if kind == "gift":
        return {"gift_id": 7, "userId_recieved_gift": 42, "created_at": spans[0][0]}
    return {"live_start_at": spans[0][0], "live_end_at": spans[0][1]}


def text(at: int, style: int) -> str:
    """An instant as MySQL text in the API's zone, with its offset, or in UTC."""
    if style == 2:
        return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    local = datetime.fromtimestamp(at, TOKYO)
    return local.isoformat() if style else local.strftime("%Y-%m-%d %H:%M:%S")


def handler(api: SimulatedAPI) -> type[StreamRequestHandler]:
    """A request handler that asks `api`; it reads no more of HTTP than that needs, and so keeps up."""

    class Handler(StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self) -> None:
            # A program that is killed while it asks is no error: the server is silent about it.
            while request := self.rfile.readline(65_536):
                headers = {}
                while line := self.rfile.readline(65_536).decode("latin-1").strip():
                    name, _, value = line.partition(":")
                    headers[name.lower()] = value.strip()
                status, body = api.answer(request.split()[1].decode(), headers.get("authorization", ""))
                content = json.dumps(body).encode()
                head = (f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(content)}\r\n\r\n")
                self.wfile.write(head.encode() + content)

    return Handler


if __name__ == "__main__":
    life = json.loads(Path(sys.argv[1]).read_text())
    served = SimulatedAPI(life["activities"], life["outages"], lambda: parse(Path("now").read_text().strip()),
                          lambda user, kind, seen: None)
    print(served.server.server_port, flush=True)
    threading.Event().wait()
