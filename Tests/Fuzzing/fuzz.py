"""Fuzzes everything that reads bytes, guided by coverage (libFuzzer), from seeds of real data.

    python3 Tests/Fuzzing/fuzz.py PROGRAM [--runs N] [--jobs N] [--only READER] [--seed N] [--keep FOLDER]

PROGRAM makes a demo, whose files are seeds. Each reader gets N inputs; a crash, an answer later than a second or more than
256 MiB fails, and the input that did it is kept.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / ".build/fuzzing"
PAGES = ROOT / "Sources/rewards/rewards.docc"
RSS_MIB = 256
SECONDS = 1


def build():
    """The fuzzer, in a folder of its own: no other target could be linked like this."""
    subprocess.run(
        ["swift", "build", "--configuration", "release", "--scratch-path", SCRATCH, "--product", "fuzzer",
         "--sanitize=fuzzer", "-Xswiftc", "-enable-testing"],
        cwd=ROOT, env={**os.environ, "REWARDS_FUZZING": "1"}, check=True, stdout=sys.stderr)
    return SCRATCH / "release/fuzzer"


def fences(page, kind):
    """The blocks of a page with this word behind their fence."""
    return re.findall(rf"^```{kind}\n(.*?)^```", (PAGES / page).read_text(), re.M | re.S)


def pieces(path, size=6_000):
    """The beginning of a file in whole lines, for a seed that is not too long."""
    data = path.read_bytes()
    return data[:data.rfind(b"\n", 0, size) + 1] or data[:size]


def bodies(ledger):
    """Lines of a ledger without frames and seals, a few of each type."""
    found = {}
    for line in ledger.read_text().splitlines():
        record = json.loads(line)
        if record["type"] in ("genesis", "seal"):
            continue
        text = line[line.index('"type"'):-1]
        found.setdefault(record["type"], []).append(text)
    return {kind: texts[:: max(1, len(texts) // 4)][:4] for kind, texts in found.items()}


def seeds(program, world):
    """For each reader some real inputs."""
    def run(*words):
        done = subprocess.run([program, *words, "--config", world / "rewards.json"], cwd=world, capture_output=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{words} ended with {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    subprocess.run([program, "demo", "--data", world], check=True, capture_output=True)
    data = next(world.rglob("ledger/00000000000000000001.jsonl")).parent.parent
    ledger = data / "ledger/00000000000000000001.jsonl"
    lines = bodies(ledger)
    user = next(text for text in lines["grant"] for text in [re.search(r'"user":"([^"]+)"', text)] if text)[1]
    run("ledger", "index")
    plan = world / "fuzz-plan.json"
    run("backfill", "--user", user, "--from", "2024-01-01", "--to", "2024-01-02", "--plan", plan)
    small = pieces(ledger, 2_600)
    zstd = subprocess.run(["zstd", "-q", "-c"], input=small, capture_output=True, check=True).stdout
    zones = ["UTC", "Asia/Tokyo", "America/New_York", "Africa/Casablanca", "Pacific/Apia", "Antarctica/Troll"]
    files = {path.parent.name + "/" + path.name: path.read_bytes() for path in (data / "state").rglob("*") if path.is_file()}
    inbox = fences("Inbox-and-roster.md", "json")
    return {
        "answers": [
            '{"live_start_at":"2026-11-20 21:00:00","live_end_at":"2026-11-20T12:00:10.25Z"}', "null", "[]", "{}",
            '[{"subscribe_start_at":"2026-11-20 21:00:00","subscribe_end_at":null},{"a":[1,2.5e3,"\\u00e9"]}]',
            '{"gift_id":"3","userId_recieved_gift":9,"created_at":"2026-11-20T21:00:00+09:00"}',
            '{"total_count":"12"}', '{"total_count":7,"token":"abc"}', '{"access_token":"x","expires_in":3600}'],
        "json": [*fences("Configuration.md", "json"), '[1,-0.5e-7,"\\ud83d\\ude00",{"a":{"b":[[],{}]}}]'],
        "instants": ["2026-11-20T12:00:10.25Z", "2026-11-20 21:00:00", "2026-11-20T21:00:00+09:00", "2026-02-28", "17:" + "a" * 64],
        "cron": ["0 3 * * *", "*/15 0-6,12 1,15 * MON-FRI", "@daily", "30 2 29 2 SUN#1", "0 0 L * 5L"],
        "tzif": [Path("/usr/share/zoneinfo", zone).read_bytes() for zone in zones],
        "posix-footer": ["EST5EDT,M3.2.0,M11.1.0", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "IST-1GMT0,M10.5.0,M3.5.0/1", "JST-9", "X3Y,J1/0,365/167"],
        "rules": [subprocess.run([program, "rules", "example"], capture_output=True, check=True).stdout, *fences("Rules.md", "json")],
        "jobs": [*fences("Jobs.md", "json"), *[path.read_bytes() for path in world.rglob("jobs/*.json")]],
        "roster": [b"".join(path.read_bytes() for path in world.rglob("users.jsonl"))[:3_000], *inbox],
        "inbox": [line for text in inbox for line in text.splitlines()],
        "balances": ["user;points;exp\n\"a\";1;2\n", '{"user":"a","points":1}\n'],
        "http-dates": ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "120", "99999999999999999999"],
        "control": ['{"user":"u","points":5,"exp":0,"coins":0,"items":["a/b"],"reason":"r","actor":"a"}', '{"outage":{"from":"2026-11-20T00:00:00Z","to":"2026-11-20T01:00:00Z"},"users":[],"zones":[],"reason":"r"}', '{"day":"2026-11-20","zones":["UTC"],"users":[],"prove":true,"confirm":false,"round":{"since":"2026-11-20T00:00:00Z","second":true}}', '{"exitCode":0,"output":"e30=","errors":""}'],
        "records": ['{"seq":9,"at":"2026-11-20T00:00:00.000Z",' + text + "}" for texts in lines.values() for text in texts],
        "relay": [line for path in [*data.glob("relay/*/*.json*"), *ROOT.glob("Tests/OperationsTests/Recorded/data/relay/*/*.json*")]
                  for line in path.read_text().splitlines()[:40]],
        "templates": fences("Relay.md", "json"),
        "service-account": ['{"client_email":"a@b.c","private_key":"-----BEGIN PRIVATE KEY-----\\nMIIB\\n-----END PRIVATE KEY-----\\n",'
                            '"project_id":"p","token_uri":"https://oauth2.googleapis.com/token"}'],
        "snapshots": [content[content.index(b"\n") + 1:] for name, content in files.items() if "snapshot-" in name],
        "plans": [plan.read_bytes(), plan.read_bytes()[:-76]],
        "ledger": [small, pieces(ledger, 400)],
        "sealed-ledger": ["\n".join(texts) for texts in lines.values()] + ["\n".join(texts[0] for texts in lines.values())],
        "packed": [zstd, len(small).to_bytes(3, "big") + zstd],
        "index": [content for name, content in files.items() if name.endswith(".index")],
        "snapshot-files": [content for name, content in files.items() if "snapshot-" in name],
        "looks": [content[:4_000] for name, content in files.items() if "looks" in name],
        "habits": [content for name, content in files.items() if name.endswith("habits")] or ["{}"],
        "checkpoints": [path.read_bytes() for path in data.rglob("checkpoint")] or ["{}"],
        "manifests": ['{"backup":1,"ledger":"a","madeAt":"2026-11-20T00:00:00Z","files":{"a":"' + "0" * 64 + '"}}'],
        "configuration": [path.read_bytes() for path in world.rglob("rewards.json")] + fences("Configuration.md", "json"),
        "credentials": ['{"user":"a","token":"t"}\n{"user":"b","email":"e","password":"p"}\n'],
    }


def fuzz(fuzzer, name, inputs, runs, seed, place):
    """Gives one reader its inputs; what it came to, and whether it failed."""
    corpus = place / name / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(inputs):
        (corpus / f"seed-{number}").write_bytes(content if isinstance(content, bytes) else content.encode())
    longest = max([256, *(2 * path.stat().st_size for path in corpus.iterdir())])
    began = time.monotonic()
    done = subprocess.run(
        [fuzzer, f"-runs={runs}", f"-rss_limit_mb={RSS_MIB}", f"-timeout={SECONDS}", f"-max_len={min(longest, 16_384)}",
         f"-artifact_prefix={place / name}/", "-print_final_stats=1", f"-seed={seed}", corpus],
        env={**os.environ, "FUZZ_READER": name}, capture_output=True, text=True, errors="replace")
    told = dict(re.findall(r"^stat::(\w+):\s+(\d+)", done.stderr, re.M))
    covered = re.findall(r"cov: (\d+)", done.stderr)
    text = (f"{name}: {told.get('number_of_executed_units', '?')} inputs in {time.monotonic() - began:.0f} s, "
            f"corpus {len(list(corpus.iterdir()))}, {covered[-1] if covered else '?'} edges, "
            f"{told.get('peak_rss_mb', '?')} MiB")
    if done.returncode == 0:
        return True, f"passed {text}"
    return False, f"FAILED {text}\n" + "\n".join(done.stderr.splitlines()[-25:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=10_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", help="a reader by name; may be repeated")
    parser.add_argument("--seed", type=int, default=1, help="of the inputs, below 2^32")
    parser.add_argument("--keep", help="a folder for corpora and findings")
    arguments = parser.parse_args()
    fuzzer = build()
    place = Path(arguments.keep or tempfile.mkdtemp(prefix="fuzzing-"))
    with tempfile.TemporaryDirectory(prefix="fuzz-world-") as world:
        readers = seeds(Path(arguments.program).resolve(), Path(world))
    wanted = [name for name in readers if not arguments.only or name in arguments.only]
    empty = [name for name in wanted if not readers[name]]
    if empty:
        print(f"FAILED: there are no seeds for {', '.join(empty)}")
        return 1
    with ThreadPoolExecutor(arguments.jobs) as pool:
        tasks = [pool.submit(fuzz, fuzzer, name, readers[name], arguments.runs, arguments.seed, place) for name in wanted]
        results = []
        for task in tasks:
            isWell, text = task.result()
            print(text, flush=True)
            results.append(isWell)
    print(f"{sum(results)} of {len(results)} readers passed; corpora and findings in {place}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
