"""A new Debian 12 in a folder, booted with systemd in namespaces of its own.

Whatever it mounts is mounted in its own namespace and is gone with it. It reaches no network once it has booted.
"""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from Shared.program import Answer, Failed, Unable
from Shared.waiting import wait_until

BOOT = Path(__file__).with_name("boot.sh")
NAMESPACES = ("--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--cgroup", "--kill-child")
# No command takes longer, in seconds.
TIMEOUT = 300


class Machine:
    """A Debian with systemd and these packages; those that `prefetched` needs lie in its cache. Close it when done."""

    def __init__(self, packages: list[str], prefetched: Path):
        self.folder = Path(tempfile.mkdtemp(prefix="rewards-machine-", dir="/var/tmp"))
        self.root = self.folder / "root"
        self.group = groups() / self.folder.name
        self.process: subprocess.Popen | None = None
        try:
            self.install(packages, prefetched)
            self.boot()
        except BaseException:
            self.close()
            raise

    def install(self, packages: list[str], prefetched: Path) -> None:
        """Makes the file system, and fetches what will be installed later."""
        included = ",".join(["systemd-sysv", *packages])
        alone("debootstrap", "--variant=minbase", f"--include={included}", "bookworm", self.root)
        # The archive is reached as this machine reaches it.
        for path in [*Path("/etc/apt/apt.conf.d").glob("*"), Path("/etc/apt/apt.conf")]:
            if path.is_file() and "Acquire" in path.read_text():
                shutil.copy(path, self.path("/etc/apt/apt.conf.d"))
        shutil.copy(prefetched, self.path("/root/fetched.deb"))
        for words in (["update"], ["install", "--yes", "--download-only", "/root/fetched.deb"]):
            alone("chroot", self.root, "apt-get", "--quiet", *words)

    def boot(self) -> None:
        """Starts systemd and waits until it has started everything."""
        self.group.mkdir()
        join = f'echo $$ >{shlex.quote(str(self.group))}/cgroup.procs && exec "$@"'
        with open(self.folder / "console", "wb") as console:
            self.process = subprocess.Popen(["sh", "-c", join, "boot", "unshare", *NAMESPACES, BOOT, self.root],
                                            stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        try:
            wait_until(self.is_up, "systemd starts", within=60, every=0.5)
        except Failed as failure:
            raise Unable(f"{failure}: {(self.folder / 'console').read_text(errors='replace')[-2000:]}") from None

    def is_up(self) -> bool:
        """Whether systemd has started everything."""
        if self.process.poll() is not None:
            raise Failed("systemd has ended")
        return self.run("systemctl", "is-system-running", codes=None).out.strip() in ("running", "degraded")

    def run(self, *words: str, codes: tuple[int, ...] | None = (0,), folder: str = "/") -> Answer:
        """Runs a command as root; an exit code other than `codes` is a failure, unless these are `None`."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        enter = ["nsenter", f"--target={children[0] if children else 0}", "--all", "--root", f"--wdns={folder}"]
        done = subprocess.run([*enter, *words], env=environment, stdin=subprocess.DEVNULL, timeout=TIMEOUT, capture_output=True, text=True, errors="replace", check=False)
        answer = Answer(shlex.join(words), done.returncode, done.stdout, done.stderr)
        if codes is not None and answer.code not in codes:
            raise Failed(answer.command, f"ended with {answer.code}: {answer.said}")
        return answer

    def path(self, name: str) -> Path:
        """A file of the machine, as seen from outside."""
        return self.root / name.lstrip("/")

    def edit(self, name: str, pattern: str, replacement: str) -> None:
        """Replaces what must stand once in a file."""
        text, count = re.subn(pattern, lambda _: replacement, self.path(name).read_text(), flags=re.MULTILINE)
        if count != 1:
            raise Failed(f"{name} holds {pattern} {count} times")
        self.path(name).write_text(text)

    def close(self) -> None:
        """Ends everything that runs on it and takes it away."""
        if self.process:
            self.process.kill()
            self.process.wait()
        if self.group.exists():
            wait_until(lambda: "populated 0" in (self.group / "cgroup.events").read_text(), "the machine ends")
            for folder, _, _ in os.walk(self.group, topdown=False):
                os.rmdir(folder)
        shutil.rmtree(self.folder)


def alone(*words: object) -> None:
    """Runs a program whose mounts and processes end with it."""
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", *words], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, check=False)
    if done.returncode:
        raise Unable(f"{shlex.join(map(str, words))}: {done.stdout[-1500:]}{done.stderr[-1500:]}")


def groups() -> Path:
    """Where version 2 of control groups is mounted."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2":
            return Path(place)
    raise Unable("no control groups of version 2 are mounted here, which systemd needs")
