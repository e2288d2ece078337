"""Speaks to a running service: commands over the control socket, questions to the admin address."""

import http.client
import json
import socket
from pathlib import Path

from Shared.installation import Installation
from Shared.program import Answer


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a local socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class NoAnswer(Exception):
    """The service was gone before it answered: nothing is known of what it did."""


def send(installation: Installation, request: str, body: dict, file: str = "", timeout: float = 60) -> Answer:
    """Has the service carry out a request about the text of a file; raises `NoAnswer`."""
    head = json.dumps({"form": 1, "request": request, "body": body, "format": "text", "tellsShard": False})
    connection = UnixConnection(socket_of(installation), timeout)
    try:
        connection.request("POST", "/v1/command", f"{head}\n{file}".encode())
        response = connection.getresponse()
        document = json.loads(response.read())
        return Answer(request, document["exitCode"], document["output"], document["errors"])
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(str(error)) from None
    finally:
        connection.close()


def socket_of(installation: Installation) -> Path:
    """The control socket of a data folder."""
    return installation.data / "control.sock"


def import_users(installation: Installation, lines: str) -> Answer:
    """Has the service bring lines of a roster in."""
    return send(installation, "users import", {"file": "-"}, lines)


def ingest(installation: Installation, lines: str) -> Answer:
    """Has the service take activities in."""
    return send(installation, "ingest", {"afterRestore": False, "approving": []}, lines)


def health(installation: Installation) -> int:
    """The status with which the control socket tells of the service's health; raises `NoAnswer`."""
    return get(UnixConnection(socket_of(installation), 5), "/healthz")[0]


def is_alive(installation: Installation) -> bool:
    """Whether the control socket answers."""
    try:
        return health(installation) == 200
    except NoAnswer:
        return False


def ask(port: int, path: str) -> tuple[int, str]:
    """Status and text of a page of the admin address; raises `NoAnswer`."""
    return get(http.client.HTTPConnection("127.0.0.1", port, timeout=5), path)


def get(connection: http.client.HTTPConnection, path: str) -> tuple[int, str]:
    """Status and text of a page; ends the connection."""
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode().strip()
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer(f"{path}: {error}") from None
    finally:
        connection.close()
