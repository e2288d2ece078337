"""A simulated API of the app: routes 603, 604 and 605, a clock that the story sets, and outages.

It answers from the true lives, up to nine seconds late, and says what it told: that is all that a look could see.
"""

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from socketserver import StreamRequestHandler, ThreadingTCPServer
from zoneinfo import ZoneInfo

from world import Activity, World

TOKEN = "the token of the story"
API_ZONE = ZoneInfo("Asia/Tokyo")
ROUTES = {"/channel/streaming/date/": "stream", "/channel/watch/streaming/": "watch", "/yell/info/get/": "gift"}

REASONS = {200: "OK", 404: "Not Found", 503: "Service Unavailable"}


@dataclass(frozen=True)
class Look:
    """One request: when, of whom, for what; `seen` is what was told, `None` where the API failed.

    An activity that was still going on is told without its end.
    """

    at: datetime
    user: str
    kind: str
    seen: tuple[tuple[datetime, datetime | None], ...] | None


class Server(ThreadingTCPServer):
    """Threads that end with the story, and a queue long enough for a burst of connections."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


class SimulatedAPI:
    """The server, on a port of its own of the loopback. Close it when done."""

    def __init__(self, world: World, now: datetime, told: Callable[[Look], None]):
        self.now, self.told = now, told
        self.outages: list[tuple[datetime, datetime]] = []
        self.strangers = 0
        self.lives = {(person.user, kind): person.of(kind)
                      for person in world.people.values() for kind in ROUTES.values()}
        self.server = Server(("127.0.0.1", 0), handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/api/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def is_down(self) -> bool:
        """Whether the API is out now."""
        return any(start <= self.now < end for start, end in self.outages)

    def answer(self, path: str, authorization: str | None) -> tuple[int, object]:
        """Status and document for a request, and a note of what it told."""
        prefix = next((prefix for prefix in ROUTES if path.startswith("/api/v1" + prefix)), None)
        user = path.rsplit("/", 1)[-1]
        if prefix is None or (user, ROUTES[prefix]) not in self.lives or authorization != f"Bearer {TOKEN}":
            self.strangers += 1
            return 404, {}
        kind = ROUTES[prefix]
        if self.is_down:
            self.told(Look(self.now, user, kind, None))
            return 503, {"message": "Service Unavailable"}
        told = self.tell(user, kind)
        self.told(Look(self.now, user, kind, tuple(told)))
        return 200, document(kind, told, style=zlib.crc32(user.encode()) % 3)

    def tell(self, user: str, kind: str) -> list[tuple[datetime, datetime | None]]:
        """What the route knows: 604 everything, 603 and 605 the last only."""
        as_of = self.now - timedelta(seconds=zlib.crc32(f"{self.now}/{user}/{kind}".encode()) % 10)
        known = [(a.start, a.end if a.end <= as_of else None) for a in self.lives[user, kind] if a.start <= as_of]
        return known if kind == "watch" else known[-1:]

    def close(self) -> None:
        """Ends the server."""
        self.server.shutdown()
        self.server.server_close()


def document(kind: str, told: list[tuple[datetime, datetime | None]], style: int) -> object:
    """The JSON of a route, with times written in one of the ways that the app uses."""
    spans = [(text(start, style), end and text(end, style)) for start, end in told]
    if kind == "watch":
        return [{"subscribe_start_at": start, "subscribe_end_at": end} for start, end in spans]
    if not spans:
        return {}
    if kind == "gift":
        return {"gift_id": 7, "userId_recieved_gift": 42, "created_at": spans[0][0]}
    return {"live_start_at": spans[0][0], "live_end_at": spans[0][1]}


def text(at: datetime, style: int) -> str:
    """An instant as MySQL text in the API's zone, with its offset, or in UTC."""
    if style == 0:
        return at.astimezone(API_ZONE).strftime("%Y-%m-%d %H:%M:%S")
    return at.astimezone(API_ZONE).isoformat() if style == 1 else at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def handler(api: SimulatedAPI) -> type[StreamRequestHandler]:
    """A request handler that asks `api`; it reads no more of HTTP than the story needs, and so keeps up."""

    class Handler(StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self) -> None:
            while request := self.rfile.readline(65_536):
                headers = dict(self.headers())
                status, body = api.answer(request.split()[1].decode(), headers.get("authorization"))
                content = json.dumps(body).encode()
                head = (f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(content)}\r\n\r\n")
                self.wfile.write(head.encode() + content)

        def headers(self) -> Iterator[tuple[str, str]]:
            while (line := self.rfile.readline(65_536).decode("latin-1").strip()):
                name, _, value = line.partition(":")
                yield name.lower(), value.strip()

    return Handler
