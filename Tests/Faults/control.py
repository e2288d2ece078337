"""Speaks to a running service: commands over the control socket, questions to the admin address."""

import http.client
import json
import socket
from dataclasses import dataclass


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a local socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass
class Answer:
    """What a command printed and how it ended."""

    code: int
    output: str
    errors: str


class NoAnswer(Exception):
    """The service was gone before it answered: nothing is known of what it did."""


def send(place, request, body, file="", timeout=60):
    """Has the service carry out a request about the text of a file; raises `NoAnswer`."""
    head = json.dumps({"form": 1, "request": request, "body": body, "format": "text", "tellsShard": False})
    connection = UnixConnection(place.socket, timeout)
    try:
        connection.request("POST", "/v1/command", f"{head}\n{file}".encode())
        response = connection.getresponse()
        document = json.loads(response.read())
        return Answer(document["exitCode"], document["output"], document["errors"])
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(str(error)) from None
    finally:
        connection.close()


def import_users(place, lines):
    """Has the service bring lines of a roster in."""
    return send(place, "users import", {"file": "-"}, lines)


def ingest(place, lines):
    """Has the service take activities in."""
    body = {"afterRestore": False, "approving": []}
    return send(place, "ingest", body, lines)


def is_alive(place):
    """Whether the control socket answers."""
    connection = UnixConnection(place.socket, 5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def ask(port, path, timeout=5):
    """Status and text of a page of the admin address; raises `NoAnswer`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode().strip()
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer(f"{path}: {error}") from None
    finally:
        connection.close()


def free_port():
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
