#!/usr/bin/env python3
"""Writes keygen.json: signatures and allowed_signers files as ssh-keygen makes and judges them.

Usage: keygen.py [ROWS [SEED]] > keygen.json; needs openssh-client. Keys are new each time, the rest follows the seed.
A row that ssh-keygen takes and we refuse has the reason in `stricter`.
"""
import base64, json, os, random, re, subprocess, sys, tempfile
from pathlib import Path

count, seed = (int(value) for value in (sys.argv[1:] + ["240", "20261129"][len(sys.argv) - 1:]))
print(f"seed {seed}", file=sys.stderr)
rng = random.Random(seed)
folder = Path(tempfile.mkdtemp(prefix="keygen-"))
KINDS = {"alice": ["ed25519"], "bob": ["ecdsa", "-b", "256"], "carol": ["ed25519"], "dan": ["ecdsa", "-b", "256"],
         "rsa": ["rsa", "-b", "2048"], "p384": ["ecdsa", "-b", "384"], "p521": ["ecdsa", "-b", "521"]}
TAKEN = ["alice", "bob", "carol", "dan"]
AT = "20261126120000Z"
BEGIN, END = "-----BEGIN SSH SIGNATURE-----\n", "\n-----END SSH SIGNATURE-----\n"


def keygen(*argv, stdin=b""):
    """Runs ssh-keygen; returns whether it succeeded, and its output."""
    done = subprocess.run(["ssh-keygen", *argv], input=stdin, cwd=folder, capture_output=True)
    return done.returncode == 0, done.stdout


def make_keys():
    """A key of each name; returns the public ones as they stand in allowed_signers."""
    for name, kind in KINDS.items():
        keygen("-q", "-N", "", "-C", "", "-f", name, "-t", *kind)
    return {name: (folder / f"{name}.pub").read_text().strip() for name in KINDS}


def sign(name, message, namespace="rewards", hashed="sha512"):
    """The armoured signature."""
    return keygen("-q", "-Y", "sign", "-n", namespace, "-f", name, "-O", f"hashalg={hashed}", stdin=message)[1].decode()


def judge(row):
    """What ssh-keygen says of the row."""
    (folder / "signature").write_bytes(row["signature"].encode())
    (folder / "allowed").write_bytes(row["allowedSigners"].encode())
    return keygen("-Y", "verify", "-n", "rewards", "-I", row["principal"], "-f", "allowed", "-s", "signature",
                  "-O", f"verify-time={row['at']}", stdin=base64.b64decode(row["message"]))[0]


def armoured(blob):
    """The blob with its armour."""
    return BEGIN + base64.b64encode(blob).decode() + END


def blob_of(text):
    """The blob inside the armour."""
    return base64.b64decode(text[len(BEGIN):text.index(END)])


def flipped(blob):
    """The blob with one bit changed."""
    at = rng.randrange(len(blob))
    return blob[:at] + bytes([blob[at] ^ 1 << rng.randrange(8)]) + blob[at + 1:]


def damaged(text):
    """The signature with something wrong, or only unusual."""
    blob = blob_of(text)
    return rng.choice([
        lambda: armoured(flipped(blob)),
        lambda: armoured(blob[:rng.randrange(len(blob))]),
        lambda: armoured(blob + bytes(rng.randrange(1, 4))),
        lambda: text.replace("\n", "\r\n"),
        lambda: text + "more text\n",
        lambda: text + text,
        lambda: rng.choice(["\n", " ", "x\n"]) + text,
        lambda: BEGIN + "\n".join(re.findall(".{1,50}", base64.b64encode(blob).decode())) + END,
        lambda: text.replace("A", "A ", 2),
        lambda: text.replace("A", "*", 1),
        lambda: text.rstrip("\n"),
        lambda: text[:rng.randrange(len(text))],
        lambda: text.replace("SSH SIGNATURE", "PGP SIGNATURE"),
        lambda: "",
    ])()


def patterns(name):
    """Principals that more or less name the key's owner."""
    own = f"{name}@example.org"
    listed = rng.choice([
        own, own, f"ops@example.org,{own}", "*@example.org", f"{name}@*", "*", f"?{name[1:]}@example.???", f"{own[:-1]}",
        f"*,!{own}", f"!{own},*", f"!x*,{own}", f"!*,{own}", own.upper(), f"{own},", f",{own}", "*@*.org", "*a*@*e*g", "????@*",
        "**@example.org", f"*@example.com,{own}", "!*", "nobody",
    ])
    return f'"{listed}"' if rng.random() < 0.2 else listed


TIMES = ["20261101Z", "20261126Z", "202611261200Z", "20261126115959Z", "20261126120000Z", "20261126120001Z", "20261127Z",
         "20261201Z", "20240229Z", "20261301Z", "20261126240000Z", "2026Z", "20261126 Z", "", "x"]
NAMESPACES = ["rewards", "git,rewards", "*", "rew*", "reward?", "git", "*,!rewards", "!git,*", "", "git, rewards", "REWARDS",
              'rew\\"ards']
ODD = ["cert-authority", "namespaces=rewards", "valid-after=20261101Z", "no-pty", "namespaces", 'namespaces="rewards',
       'from="*"', 'cert-authority="x"']


def option():
    """An option, right or wrong."""
    name = rng.choice(["namespaces", "valid-after", "valid-before", "Namespaces", "VALID-BEFORE", None])
    if name is None:
        return rng.choice(ODD)
    values = NAMESPACES if name.lower() == "namespaces" else TIMES
    return f'{name}="{rng.choice(values)}"'


def options():
    """The options of a line."""
    texts = [option() for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 3]))]
    return rng.choice([",", ",", ",", ",", " ", ",,"]).join(texts)


def line(name):
    """A line of allowed_signers for the key."""
    kind, key = public[name].split(" ")[:2]
    fields = [patterns(name), options(), kind, key, rng.choice(["", "", "comment", "# comment", 'a "comment'])]
    if rng.random() < 0.08:
        fields.pop(rng.randrange(1, len(fields)))
    if rng.random() < 0.05:
        fields[-2] = rng.choice([key[:-3], key[:20], "x" + key, key + "=", public["alice"].split(" ")[1]])
    return rng.choice(["", "", "", " ", "\t"]) + rng.choice([" ", " ", "\t", "  "]).join(filter(None, fields))


def row():
    """A signature, an allowed_signers file, and what ssh-keygen says."""
    name = rng.choice(TAKEN * 4 + list(KINDS))
    message = bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 20, 64, 300])))
    text = sign(name, message, *rng.choice([["rewards"]] * 8 + [["git"], ["rewards", "sha256"], ["rewards", "sha256"]]))
    if rng.random() < 0.25:
        text = damaged(text)
    if rng.random() < 0.05:
        message += b"x"
    lines = [line(rng.choice([name, name, *TAKEN])) for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))] + [line(name)]
    for extra in rng.sample(["", "# comment", "broken", "  # comment"], rng.choice([0, 0, 1, 2])):
        lines.insert(rng.randrange(len(lines) + 1), extra)
    made = {"principal": f"{name}@example.org", "message": base64.b64encode(message).decode(), "signature": text,
            "allowedSigners": rng.choice(["\n", "\n", "\n", "\r\n"]).join(lines) + rng.choice(["\n", ""]), "at": AT}
    valid = judge(made)
    stricter = next((why for why, is_so in STRICTER.items() if is_so(name, made)), None) if valid else None
    return {**made, "valid": valid and not stricter, **({"stricter": stricter} if stricter else {})}


STRICTER = {"key-kind": lambda name, made: name not in TAKEN}
public = make_keys()
print('{"rows": [\n' + ",\n".join(json.dumps(row()) for _ in range(count)) + "\n]}")
subprocess.run(["rm", "-r", folder], check=True)
