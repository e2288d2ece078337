#!/usr/bin/env python3
"""Holds what the program prints for other programs against those: JSON Schemas, completion scripts, man pages.

    reference.py REWARDS-PROGRAM

Needs Debian's python3-jsonschema, zsh, fish and groff. Says what it checked; ends with 1 and a list when something is wrong.
"""

import json
import subprocess
import sys

import jsonschema

TOPICS = ("tutorial", "operations", "glossary", "commands", "configuration", "rules", "jobs", "inbox", "data-folder",
          "records", "events", "metrics", "output", "http", "changelog")


def told(program: str, *words: str) -> str:
    """What the program prints."""
    return subprocess.run((program, *words), check=True, capture_output=True, text=True).stdout


def objections(command: list[str], text: str) -> list[str]:
    """What another program has against a text that it reads from its standard input."""
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    lines = done.stderr.splitlines()
    return [f"{command[0]}: {line}" for line in lines] or ([f"{command[0]} ends with {done.returncode}"]
                                                           if done.returncode else [])


def main() -> int:
    program = sys.argv[1]
    wrong: list[str] = []
    names = told(program, "schema").split()
    for name in names:
        try:
            jsonschema.Draft202012Validator.check_schema(json.loads(told(program, "schema", name)))
        except (jsonschema.SchemaError, json.JSONDecodeError) as error:
            wrong.append(f"schema {name}: {error}")
    example = told(program, "rules", "example")
    plain = "\n".join(line for line in example.splitlines() if not line.strip().startswith("//"))
    schema = json.loads(told(program, "schema", "rules"))
    wrong += [f"rules example: {error.message}"
              for error in jsonschema.Draft202012Validator(schema).iter_errors(json.loads(plain))]
    for shell in (["bash", "-n"], ["zsh", "-n"], ["fish", "--no-execute"]):
        wrong += objections(shell, told(program, "completion", shell[0]))
    for topic in ((), *((topic,) for topic in TOPICS)):
        wrong += objections(["groff", "-man", "-Tutf8", "-ww"], told(program, "man", *topic))
    print(f"{len(names)} schemas, 3 shells, {len(TOPICS) + 1} man pages: {len(wrong)} objections")
    for line in wrong:
        print(f"  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
