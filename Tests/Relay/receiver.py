"""A webhook receiver on a real socket that checks everything by other people's libraries, or answers in a wrong way."""

import datetime
import json
import socket
import ssl
import threading
import time

from cloudevents.core.bindings.http import HTTPMessage, from_structured_event
from cloudevents.core.formats.json import JSONFormat
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from standardwebhooks.webhooks import Webhook

from Shared import servers


class Receiver:
    """Takes events at `url`. `manner` says how: see `Handler.ways`."""

    def __init__(self, secrets):
        self.verifiers = [Webhook(secret) for secret in secrets]
        self.manner = "well"
        self.lock = threading.Lock()
        self.firsts = []          # ids in the order of their first arrival, with user and type
        self.bodies = {}          # id -> the bytes of the first arrival
        self.deliveries = 0
        self.refused = 0
        self.failed = {}          # id -> the bytes of an attempt that was not answered well
        self.flaws = []
        self.times = []
        self.server = servers.Server(type("BoundHandler", (Handler,), {"receiver": self}))
        self.server.serve()

    @property
    def url(self):
        return f"{self.server.url}/events"

    def close(self):
        self.server.close()

    def take(self, headers, body):
        """Checks a delivery and remembers it."""
        with self.lock:
            self.deliveries += 1
            self.times.append(time.monotonic())
            for verifier in self.verifiers:
                try:
                    verifier.verify(body, headers)
                except Exception as error:
                    self.flaws.append(f"signature: {error!r}")
            try:
                event = from_structured_event(HTTPMessage(headers=headers, body=body), JSONFormat())
                attributes = event.get_attributes()
            except Exception as error:
                self.flaws.append(f"no CloudEvent: {error!r}")
                return
            found = attributes["id"]
            if headers["webhook-id"] != found:
                self.flaws.append(f"webhook-id {headers['webhook-id']} is not {found}")
            if self.failed.get(found, body) != body:
                self.flaws.append(f"{found} was tried with other bytes")
            if found not in self.bodies:
                self.bodies[found] = body
                self.firsts.append((found, attributes.get("subject"), attributes["type"]))
            elif self.bodies[found] != body:
                self.flaws.append(f"{found} came with other bytes")


    def miss(self, headers, body):
        """Remembers an attempt that fails: whenever the event comes again, it has the same bytes."""
        with self.lock:
            self.refused += 1
            found = headers["webhook-id"]
            if self.failed.setdefault(found, body) != body or self.bodies.get(found, body) != body:
                self.flaws.append(f"{found} was tried with other bytes")


class Handler(servers.Handler):
    receiver = None

    def do_POST(self):
        body = self.body()
        headers = {name.lower(): value for name, value in self.headers.items()}
        manner = self.receiver.manner
        if manner != "well":
            self.receiver.miss(headers, body)
            return getattr(self, manner)()
        self.receiver.take(headers, body)
        self.answer(204)

    def broken(self):
        self.answer(500)

    def busy(self):
        self.answer(429, headers={"Retry-After": "1"})

    def elsewhere(self):
        self.answer(302, headers={"Location": "/trap"})

    def do_GET(self):
        self.receiver.flaws.append("somebody followed a redirect")
        self.answer(200)

    def drop(self):
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def never(self):
        time.sleep(3_600)

    def drip(self):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(1)


class HalfHandshake:
    """Accepts TLS connections, answers with the beginning of a record, and then nothing."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.kept = []
        threading.Thread(target=self.run, daemon=True).start()

    @property
    def url(self):
        return f"https://127.0.0.1:{self.socket.getsockname()[1]}/events"

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            connection.recv(65_536)
            connection.sendall(b"\x16\x03\x03\x00\x7a\x02\x00")
            self.kept.append(connection)

    def close(self):
        self.socket.close()


class Untrusted(Receiver):
    """A receiver behind TLS with a certificate that nobody vouches for."""

    def __init__(self, secrets, folder):
        super().__init__(secrets)
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        now = datetime.datetime.now(datetime.timezone.utc)
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            .sign(key, hashes.SHA256()))
        file = folder / "receiver.pem"
        file.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)

    @property
    def url(self):
        return f"https://localhost:{self.server.server_port}/events"


def parsed(path):
    """The events of a file sink, in the order of the file."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return []
    lines = text.split(b"\n")
    return [json.loads(line) for line in lines[:-1]]
