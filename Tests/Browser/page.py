#!/usr/bin/env python3
"""Looks at the pages of `rewards audit --html` in a real browser.

    page.py BINARY CONFIGURATION    makes pages of 50 and of 50,000 wrong balances and checks them
    page.py PAGE.html ...           checks these pages
    page.py --self-test PAGE.html   breaks a page in every way that a check looks for: each must be found

Needs Debian's chromium, chromium-driver and python3-selenium; with poppler-utils what is printed is
read, too. Says what it checked; ends with 1 and a list when something is wrong.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True

import checks
from browser import Browser
from mutants import MUTANTS

SIZES = (50, 50_000)
SHOWN = 10

# What somebody might call himself to get into the page, or to spoil it.
NASTY = [
    "<script>window.hacked=1</script>", "\"><img src=x onerror=\"window.hacked=1\">",
    "' onmouseover='window.hacked=1", "</style><svg onload=window.hacked=1>",
    "</code></bdi></li></ol></details><h1>all is well</h1>", "javascript:window.hacked=1",
    "]]> --> <!-- <plaintext>", "&lt;b&gt; &amp;amp; &#60;", "evil \u202etxt.exe",
    "isolate \u2066abc\u2069", "nul \x00 bell \x07 escape \x1b[31m", "line\nbreak\ttab\r",
    "zero\u200bwidth\ufeff", "شرق إلى غرب 123", "👩‍👩‍👧‍👦 🏴‍☠️", "e\u0301\u0302\u0303",
    "long" * 2_000,
    "no space " * 200, "\\u003cscript\\u003e", "%3Cscript%3E", "\u2028\u2029", " ",
]


class Page:
    """A page to check, with what is known of it."""

    def __init__(self, path, users=(), listed=None):
        self.path = path
        self.users = users
        # So many findings at least must be listed; None when that is not known.
        self.listed = listed
        self.notes = []

    def note(self, text):
        """Keeps something to tell when all is well."""
        self.notes.append(text)


def main():
    """Does what the command line asks for and returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--self-test", action="store_true", help="check the checks")
    parser.add_argument("--balances", type=Path, metavar="FILE",
                        help="the balances that a given page was made of: its texts are compared")
    parser.add_argument("--listed", type=int, metavar="N",
                        help="the binary lists so many findings of a check; all by default")
    arguments = parser.parse_args()
    are_pages = all(path.suffix == ".html" for path in arguments.paths)
    if not are_pages and len(arguments.paths) != 2:
        parser.error("expected pages, or a binary and its configuration")
    with tempfile.TemporaryDirectory(prefix="rewards-page-") as folder, Browser() as browser:
        folder = Path(folder)
        if are_pages:
            users = users_of(arguments.balances) if arguments.balances else ()
            pages = [Page(path, users, len(users) or None) for path in arguments.paths]
        else:
            sizes = SIZES[:1] if arguments.self_test else SIZES
            pages = [made(*arguments.paths, size, arguments.listed, folder) for size in sizes]
        if arguments.self_test:
            return self_test(browser, pages[0], folder)
        return 0 if all([check(browser, page) for page in pages]) else 1


def made(binary, configuration, size, listed, folder):
    """A page of `size` users with balances that no ledger has."""
    users = (NASTY + [f"nobody-{number}" for number in range(size)])[:size]
    balances = folder / f"{size}.jsonl"
    balances.write_text("".join(
        json.dumps({"user": user, "points": 1_000 + index}) + "\n"
        for index, user in enumerate(users)))
    path = folder / f"{size}.html"
    begin = time.monotonic()
    run = subprocess.run(
        [binary, "audit", "--config", configuration, "--balances", balances, "--html", path],
        capture_output=True, text=True)
    if not path.exists():
        sys.exit(f"the binary wrote no page and ended with {run.returncode}: {run.stderr}")
    page = Page(path, users, min(size, listed or size))
    page.note(f"made in {time.monotonic() - begin:.1f} s")
    return page


def users_of(path):
    """The users of a file of balances."""
    return [json.loads(line)["user"] for line in path.read_text().split("\n") if line]


def check(browser, page):
    """Prints what is wrong with a page, or what was checked; whether nothing is wrong."""
    begin = time.monotonic()
    breaches = {each.__name__: each(browser, page) for each in checks.ALL}
    bad = {name: wrong for name, wrong in breaches.items() if wrong}
    print(f"{page.path.name}: {'FAILED' if bad else 'passed'}, {len(checks.ALL)} checks, "
          f"{page.path.stat().st_size:,} bytes, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"    {', '.join(page.notes)}")
    for name, wrong in bad.items():
        for line in wrong[:SHOWN]:
            print(f"    {name}: {line}")
        if len(wrong) > SHOWN:
            print(f"    {name}: and {len(wrong) - SHOWN} more")
    return not bad


def self_test(browser, page, folder):
    """Breaks a good page in many ways; the check that a fault is for must find it. Returns the exit code."""
    if not check(browser, page):
        print("the page is not good to begin with")
        return 1
    text, missed = page.path.read_text(), 0
    for number, (fault, name, change) in enumerate(MUTANTS):
        changed = change(text)
        if name == "texts" and not page.users:
            print(f"skipped  {fault}: needs --balances")
            continue
        broken = Page(folder / f"broken-{number}.html", page.users, page.listed)
        broken.path.write_text(changed)
        found = {each.__name__: each(browser, broken) for each in checks.ALL
                 if each.__name__ in ("loads", name)}
        is_found = changed != text and found[name]
        missed += not is_found
        what = found[name][0] if is_found else "NOT FOUND" if changed != text else "NOT BROKEN"
        print(f"{'found  ' if is_found else 'MISSED '}  {fault}: {what[:120]}", flush=True)
    print(f"{len(MUTANTS)} faults, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
