"""HTTP servers of the tests, on ports of their own of the loopback."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """A server whose threads end with the process, with a queue long enough for a burst of connections."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler: type[BaseHTTPRequestHandler]):
        super().__init__(("127.0.0.1", 0), handler)

    def serve(self) -> None:
        """Begins to answer, in a thread."""
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        """The address of its root."""
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address) -> None:
        """The other side may leave at any time."""

    def close(self) -> None:
        """Ends the server."""
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers to one connection after another, without a log."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_) -> None:
        """Says nothing."""

    def body(self) -> bytes:
        """The request's body."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def answer(self, status: int, body: bytes = b"", headers: dict[str, str] = {}, length: int | None = None) -> None:
        """An answer, whole unless it announces another length."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
