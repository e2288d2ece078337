#!/usr/bin/env python3
"""Makes the Debian package twice, installs it on a new Debian 12 that runs systemd, and works with it there.

    package.py [PROGRAM]        a release build with Swift's runtime linked in; without one .dev/package builds it

It installs as from a shell, configures and starts the service before a simulated API, and goes on to manual, completion,
upgrade, removal and purge. Takes root, Debian's archive and two to five minutes. Ends with 1 at the first check that fails, with 77
where it cannot run.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Package.machine import Machine
from Shared.civil import show
from Shared.installation import TOKEN
from Shared.ledger import Reader
from Shared.program import Failed, Unable, executable, json_lines
from Shared.waiting import wait_until

PROJECT = Path(__file__).resolve().parent.parent.parent
CONFIGURATION, SECRETS, ROSTER = "/etc/rewards/rewards.json", "/etc/rewards/secrets.env", "/etc/rewards/users.jsonl"
JOB, DATA, SERVICE = "/etc/rewards/jobs/audit-grants.json", "/var/lib/rewards", "rewards.service"
# What manual pages and completion are tried with.
TOOLS = ["man-db", "bash-completion", "fish", "zsh"]
USER = "4711"
# A secret that a shell would run in part and cut off.
ODD = "12|touch /root/ran;a$b#c"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=executable)
    program = parser.parse_args().program
    # An end from outside leaves nothing behind either.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if os.geteuid() != 0:
            raise Unable("making a machine takes root")
        subprocess.run([PROJECT / ".ci/install", "debootstrap", "lintian"], stdout=subprocess.DEVNULL, check=True)
        with tempfile.TemporaryDirectory(prefix="rewards-package-") as name:
            package = make(program, Path(name))
            newer = renew(package, Path(name))
            machine = Machine(TOOLS, package)
            try:
                live(machine, package, newer)
            finally:
                machine.close()
    except Failed as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    except Unable as reason:
        print(f"left out: {reason}", file=sys.stderr)
        return 77
    return 0


def passed(what: str) -> None:
    """Prints a check that holds."""
    print(f"passed: {what} (after {time.monotonic() - BEGAN:.0f} s)", flush=True)


def check(holds: object, what: str, found: object = "") -> None:
    """Prints a check, or fails with what was found instead."""
    if not holds:
        raise Failed(what, str(found))
    passed(what)


def make(program: Path | None, folder: Path) -> Path:
    """Makes the package, and again."""
    packages = []
    for number in range(2):
        done = subprocess.run([PROJECT / ".dev/package", *([program] if program else [])], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(".dev/package", done.stderr[-3000:])
        made = Path(done.stdout.strip())
        packages.append(Path(shutil.copy(made, folder / f"{number}-{made.name}")))
    check(packages[0].read_bytes() == packages[1].read_bytes(), "made twice, the package has the same bytes")
    done = subprocess.run(["lintian", "--fail-on", "error,warning", packages[0]], capture_output=True, text=True, check=False)
    check(done.returncode == 0, "lintian finds no error and nothing to warn of", done.stdout + done.stderr)
    return packages[0]


def renew(package: Path, folder: Path) -> Path:
    """The same package with a higher version and one job that has changed."""
    root = folder / "newer"
    subprocess.run(["dpkg-deb", "--raw-extract", package, root], check=True)
    control = root / "DEBIAN/control"
    control.write_text(control.read_text().replace("\nVersion: ", "\nVersion: 1:"))
    job = root / JOB.lstrip("/")
    job.write_text(job.read_text() + "// The newer version's.\n")
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", root, folder / "newer.deb"], stdout=subprocess.DEVNULL, check=True)
    return folder / "newer.deb"


def live(machine: Machine, package: Path, newer: Path) -> None:
    """The package's life on a machine."""
    install(machine, package)
    refuse_unconfigured(machine)
    configure(machine)
    serve(machine)
    consult(machine)
    upgrade(machine, newer)
    remove(machine, package)
    purge(machine, package)


def install(machine: Machine, package: Path, again: bool = False) -> str:
    """Installs the package as an operator does."""
    shutil.copy(package, machine.path("/root/rewards.deb"))
    said = machine.run("apt-get", "install", "--yes", "./rewards.deb", folder="/root").out
    if again:
        return said
    check("systemctl enable --now rewards" in said, "the installation says which commands are left", said[-1500:])
    owners = {"/etc/rewards": "755 root root", CONFIGURATION: "644 root root", SECRETS: "640 root rewards",
              ROSTER: "640 root rewards", "/etc/rewards/credentials.jsonl": "640 root rewards", JOB: "644 root root", DATA: "750 rewards rewards"}
    found = machine.run("stat", "--format=%a %U %G", *owners).out.splitlines()
    check(found == list(owners.values()), "files, owners and modes are as they should be", found)
    check(secret(machine).startswith("REWARDS_DRAW_SECRET=") and len(secret(machine)) > 80, "a new draw secret is made")
    check(state(machine, "UnitFileState", "ActiveState") == ["disabled", "inactive"], "the service waits for its configuration")
    machine.run("systemd-analyze", "verify", SERVICE)
    # At most 2.0 of 10.
    machine.run("systemd-analyze", "security", "--threshold=20", SERVICE)
    passed("systemd finds the unit right, and little exposed")
    version = machine.run("dpkg-query", "--show", "--showformat=${Version}", "rewards").out
    check(machine.run("rewards", "version").out.startswith(f"rewards {version},"), "the package has the program's version", version)
    return said


def refuse_unconfigured(machine: Machine) -> None:
    """What comes of a start too early."""
    report = machine.run("rewardsctl", "doctor", codes=(1,)).out
    failed = [line for line in report.splitlines() if line.startswith("failed")]
    check(len(failed) == 1 and "CHEER_API_TOKEN is empty" in failed[0], "doctor misses the API token alone", report)
    machine.run("systemctl", "start", SERVICE)
    wait_until(lambda: state(machine, "ActiveState") == ["failed"], "an unconfigured service ends")
    check(state(machine, "ExecMainStatus", "NRestarts") == ["78", "0"], "unconfigured it ends with 78 and is not started again")
    machine.run("systemctl", "reset-failed", SERVICE)


def configure(machine: Machine) -> None:
    """The few edits that an operator makes, and the program's simulated API: the user has watched somebody and given a gift."""
    machine.edit(CONFIGURATION, r"https://api\.cheer-supports\.com/api/v1", "http://127.0.0.1:8603/api/v1")
    machine.edit(SECRETS, "^CHEER_API_TOKEN=$", f'CHEER_API_TOKEN="{TOKEN}"')
    with machine.path(SECRETS).open("a") as secrets:
        secrets.write(f"ODD={ODD}\n")
    now = int(time.time())
    machine.path("/srv/world.jsonl").write_text(json_lines([
        {"user": USER, "kind": "watch", "at": show(now - 300), "until": show(now - 100)}, {"user": USER, "kind": "gift", "at": show(now - 60)}]))
    machine.run("systemd-run", "--unit=api", "rewardsctl", "try-api", "/srv/world.jsonl")
    # A zone where it is about noon: nobody's day ends meanwhile.
    zone = f"Etc/GMT{time.gmtime().tm_hour - 12:+d}"
    machine.path(ROSTER).write_text(json_lines([{"user": USER, "timezone": zone}]))
    wait_until(lambda: "well       API:" in machine.run("rewardsctl", "doctor", codes=(1,)).out, "the simulated API answers", within=20, every=0.5)
    report = machine.run("rewardsctl", "doctor", codes=(1,)).out
    worse = [line for line in report.splitlines() if line.startswith(("failed", "attention"))]
    check(worse == ["attention  ledger: there is none yet"], "configured, doctor misses nothing but a ledger", report)


def serve(machine: Machine) -> None:
    """The service, a poll and a grant."""
    machine.run("systemctl", "enable", "--now", "rewards")
    wait_until(lambda: machine.run("rewardsctl", "doctor", codes=None).code == 0, "doctor finds everything well", within=30, every=0.5)
    check(state(machine, "UnitFileState", "ActiveState", "NRestarts") == ["enabled", "active", "0"],
          "the service runs, and doctor finds everything well")
    owner = machine.run("stat", "--format=%U", f"/proc/{pid(machine)}").out.strip()
    check(owner == "rewards", "it runs as its own account", owner)
    # The program hides its environment, so a stand-in for it tells what rewardsctl hands on.
    stand_in = machine.path("/srv/names/rewards")
    stand_in.parent.mkdir()
    stand_in.write_text("#!/bin/sh\nexec env\n")
    stand_in.chmod(0o755)
    said = machine.path("/srv/names/said")
    machine.run("systemd-run", "--unit=reader", f"--property=EnvironmentFile={SECRETS}", "--property=StandardOutput=file:/srv/names/said", "env")
    wait_until(lambda: said.exists() and "ODD=" in said.read_text(), "systemd runs a program with the secrets")
    check(f"ODD={ODD}" in said.read_text().splitlines(), "systemd reads a secret as it stands", said.read_text())
    variables = machine.run("env", "PATH=/srv/names:/usr/sbin:/usr/bin:/sbin:/bin", "rewardsctl").out
    check(f"ODD={ODD}" in variables.splitlines(), "rewardsctl reads it alike", variables)
    check(not machine.path("/root/ran").exists(), "rewardsctl runs nothing that stands in a secret")
    machine.run("rewardsctl", "reconcile")
    check({"watch", "gift"} <= missions(machine), "a poll has found what the user did, and it was granted", missions(machine))
    machine.run("rewardsctl", "grant", USER, "--points", "7", "--reason", "a test", "--actor", "alice", folder="/root")
    check("manual" in missions(machine), "a grant by hand is in the ledger", missions(machine))
    machine.path(ROSTER).write_text(json_lines([{"user": USER}, {"user": "4712"}]))
    machine.run("systemctl", "reload", "rewards")
    wait_until(lambda: any(record.get("user") == "4712" for record in records(machine)), "the roster is read again", within=20)
    passed("a reload reads the roster again")
    machine.run("rewardsctl", "audit")
    strangers = machine.run("find", DATA, "!", "-user", "rewards").out
    check(not strangers, "the audit passes, and every file of the ledger is the account's", strangers)


def consult(machine: Machine) -> None:
    """Manual and completion."""
    for page in ("rewards", "rewards-tutorial", "rewards-changelog", "rewardsctl"):
        text = machine.run("man", page).out
        check("NAME" in text and page in text, f"man {page}", text[:500])
    script = ". /usr/share/bash-completion/bash_completion; _completion_loader rewards; complete -p rewards"
    check("_rewards" in machine.run("bash", "-c", script).out, "bash completes commands")
    check("_rewards" in machine.run("zsh", "-fc", "autoload -Uz compinit; compinit -u; print $_comps[rewards]").out, "zsh completes commands")
    check("head" in machine.run("fish", "-c", 'complete --do-complete "rewards ledger h"').out, "fish completes commands")


def upgrade(machine: Machine, newer: Path) -> None:
    """A newer version takes the place of the one that runs."""
    before, edited, kept = pid(machine), machine.path(CONFIGURATION).read_text(), machine.path(SECRETS).read_text()
    old = records(machine)
    said = install(machine, newer, again=True)
    wait_until(lambda: machine.run("rewardsctl", "doctor", codes=None).code == 0, "doctor finds the newer version well", within=30, every=0.5)
    check(pid(machine) != before and "rewardsctl doctor" not in said, "an upgrade restarts the service, and tells nothing that is done", said)
    check((machine.path(CONFIGURATION).read_text(), machine.path(SECRETS).read_text()) == (edited, kept), "what was edited stays")
    check("newer version's" in machine.path(JOB).read_text(), "what was not edited is renewed")
    check(records(machine)[:len(old)] == old, "the ledger goes on")


def remove(machine: Machine, package: Path) -> None:
    """The package goes and comes back."""
    process = f"/proc/{pid(machine)}"
    machine.run("test", "-e", process)
    machine.run("apt-get", "remove", "--yes", "rewards")
    check(machine.run("test", "-e", process, codes=None).code == 1 and not machine.path("/usr/bin/rewards").exists(), "a removal ends the service")
    check(machine.path(SECRETS).exists() and machine.path(CONFIGURATION).exists(), "a removal keeps the configuration")
    old, kept = records(machine), secret(machine)
    install(machine, package, again=True)
    wait_until(lambda: machine.run("rewardsctl", "doctor", codes=None).code == 0, "doctor finds what came back well", within=30, every=0.5)
    check(state(machine, "UnitFileState", "ActiveState") == ["enabled", "active"] and secret(machine) == kept and records(machine)[:len(old)] == old,
          "installed again, it goes on as before")


def purge(machine: Machine, package: Path) -> None:
    """Nothing is left but the ledger and what it needs, and later nothing."""
    machine.run("systemctl", "stop", "rewards")
    old, kept = contents(machine), secret(machine)
    shadow = machine.path("/etc/shadow").read_bytes()
    machine.run("ln", "-s", "/etc/shadow", f"{DATA}/draw-secret")
    said = machine.run("apt-get", "purge", "--yes", "rewards").out
    check(not machine.path("/etc/rewards").exists(), "a purge takes the configuration away", list(machine.path("/etc/rewards").rglob("*")))
    check(contents(machine) == old and DATA in said, "a purge keeps the ledger, and says where", said)
    check(machine.path("/etc/shadow").read_bytes() == shadow, "a purge follows no link of the account's")
    install(machine, package, again=True)
    check(secret(machine) == kept and TOKEN not in machine.path(SECRETS).read_text(), "the next installation has the ledger's draw secret, and no token")
    machine.run("rewardsctl", "ledger", "verify")
    for path in machine.path(DATA).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    machine.run("apt-get", "purge", "--yes", "rewards")
    left = machine.run("find", "/etc", "/var/lib", "/usr", "-name", "*rewards*", "-not", "-path", "/var/lib/dpkg/*").out
    check(not left, "without a ledger nothing is left", left)


def secret(machine: Machine) -> str:
    """The line of the draw secret."""
    return next(line for line in machine.path(SECRETS).read_text().splitlines() if line.startswith("REWARDS_DRAW_SECRET="))


def records(machine: Machine) -> list[dict]:
    """The ledger's records, read by the format's definition alone."""
    return list(Reader(machine.path(DATA) / "ledger", allow_tail=True))


def missions(machine: Machine) -> set[str]:
    """What was granted for."""
    return {record["mission"] for record in records(machine) if record["type"] == "grant"}


def contents(machine: Machine) -> dict[str, bytes]:
    """The ledger's files."""
    return {path.name: path.read_bytes() for path in (machine.path(DATA) / "ledger").iterdir()}


def state(machine: Machine, *properties: str) -> list[str]:
    """What systemd says of the service."""
    return [machine.run("systemctl", "show", "--property", name, "--value", SERVICE).out.strip() for name in properties]


def pid(machine: Machine) -> str:
    """The service's process, as the machine numbers it."""
    return state(machine, "MainPID")[0]


BEGAN = time.monotonic()
if __name__ == "__main__":
    sys.exit(main())
