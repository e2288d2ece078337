"""Where an installation's data lies: in a folder, or in a database of its own on one PostgreSQL server."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from Shared import ledger
from Shared.program import Unable
from Shared.waiting import wait_until


class Folder:
    """A folder beside the configuration."""

    address = "./data"

    def __init__(self, folder: Path):
        self.path = folder / "data"

    def put(self, name: str, text: str) -> str:
        """Puts a file there, as another program would; the shell lines that do the same."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return f"mkdir -p data/{Path(name).parent}; cat > data/{name} <<'END'\n{text}END"

    def forget_state(self) -> str:
        """Loses the caches; the shell line that does the same."""
        shutil.rmtree(self.path / "state", ignore_errors=True)
        return "rm -rf data/state"

    def lose(self) -> str:
        """Loses everything; the shell line that does the same."""
        shutil.rmtree(self.path)
        return "rm -rf data"

    def lines(self, allow_tail: bool = False) -> list[dict]:
        """The ledger's lines; while somebody writes, those up to the last seal."""
        return list(ledger.Reader(self.path / "ledger", allow_tail))

    def close(self) -> None:
        """Nothing is left but the folder."""


class Database:
    """A database of a server whose socket lies in a folder."""

    def __init__(self, program: Path, socket: Path, name: str, shards: int = 1):
        self.program, self.socket, self.name = program, socket, name
        self.address = f"postgres://rewards@{quote(str(socket), safe='')}/{name}"
        self.ask(f"CREATE DATABASE {name}", "postgres")
        subprocess.run([program, "store", "migrate", "--shards", str(shards), "--data", self.address], check=True, capture_output=True)

    def ask(self, statement: str, database: str = "") -> str:
        """Runs a statement and gives what it answers."""
        return psql(self.socket, statement, database or self.name)

    def serving(self) -> list[str]:
        """Who serves, once for each shard that a service has."""
        return self.ask("SELECT holder FROM rewards.shard WHERE expires > now() AND holder LIKE '%rewards serve%'").splitlines()

    def put(self, name: str, text: str, shard: int = 0) -> str:
        """Puts a file there, as another program would; the shell lines that do the same."""
        number = int.from_bytes(os.urandom(7), "big")
        statement = (f"BEGIN; INSERT INTO rewards.file VALUES ({shard}, '{name}', {number});"
                     f" INSERT INTO rewards.piece VALUES ({shard}, {number}, 0, '\\x{text.encode().hex()}'); COMMIT;")
        self.ask(statement)
        return f"psql --command {statement!r}"

    def forget_state(self) -> str:
        """Loses the caches; the shell line that does the same."""
        statement = ("DELETE FROM rewards.piece WHERE file IN (SELECT id FROM rewards.file WHERE name LIKE 'state/%');"
                     " DELETE FROM rewards.file WHERE name LIKE 'state/%'")
        self.ask(statement)
        return f"psql --command {statement!r}"

    def lines(self, shard: int = 0, allow_tail: bool = False) -> list[dict]:
        """A ledger's lines, as they are exported: up to the last seal."""
        done = subprocess.run([self.program, "ledger", "export", "--data", self.address, "--shard", str(shard)], capture_output=True, text=True, check=False)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def close(self) -> None:
        """The database is taken away."""
        self.ask(f"DROP DATABASE {self.name} WITH (FORCE)", "postgres")


def psql(socket: Path, statements: str, database: str = "postgres") -> str:
    """Runs statements, each in a transaction of its own, at the server whose socket lies in a folder; what they answer."""
    words = ["psql", "--quiet", "--no-psqlrc", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--host", socket,
             "--username", "rewards", "--dbname", database]
    return subprocess.run(words, input=statements, text=True, check=True, capture_output=True, timeout=120).stdout.strip()


class Server:
    """A PostgreSQL server that ends with the value."""

    def __init__(self, folder: Path, *settings: str):
        self.folder = folder
        script = Path(__file__).resolve().parent.parent / "Postgres" / "server.sh"
        self.process = subprocess.Popen([script, folder, "fsync=off", *settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.wait()

    def wait(self) -> None:
        """Waits until the server takes connections."""
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError("the PostgreSQL server does not start")

    def restart(self) -> None:
        """Lets the server break down in the midst of everything, and start again."""
        self.process.stdin.write("again\n")
        self.process.stdin.flush()
        self.wait()

    def close(self) -> None:
        """Ends the server."""
        self.process.stdin.close()
        self.process.wait()


@contextmanager
def running_server(prefix: str) -> Iterator[tuple[Path, Server]]:
    """A folder of its own that all accounts may enter, and a server in its folder `pg`; both are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "pg").mkdir()
        server = Server(folder / "pg")
        try:
            yield folder, server
        finally:
            server.close()


class Pool:
    """A pgbouncer before a server, with a server's connection for each transaction; its socket lies in a folder."""

    def __init__(self, folder: Path, server: Path):
        self.folder = folder
        settings = folder / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n* = host={server} user=rewards\n[pgbouncer]\nunix_socket_dir = {folder}\nlisten_addr =\n"
            f"listen_port = 5432\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 4\npidfile = {folder}/pid\n")
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        found = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
        if not found:
            raise Unable("there is no pgbouncer: .ci/install pgbouncer")
        account = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen([*account, found, "--quiet", settings], stdin=subprocess.DEVNULL)
        wait_until((folder / ".s.PGSQL.5432").exists, "pgbouncer starts", within=5)

    def close(self) -> None:
        """Ends the pool."""
        self.process.kill()
        self.process.wait()
