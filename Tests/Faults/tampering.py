"""The ways in which a ledger's last bytes get lost and its lines get changed."""

import json
import string

DAMAGES = ["flip", "delete", "swap", "double", "edit"]


def seal_ends(content):
    """Where the seals of `content` end, as byte offsets, 0 first: lines that have a seal's whole form."""
    ends, byte = [0], 0
    for line in content.splitlines(keepends=True):
        byte += len(line)
        if is_seal(line):
            ends.append(byte)
    return ends


def is_seal(line):
    """Whether a line is a complete seal, whatever it commits."""
    if not line.endswith(b"\n"):
        return False
    try:
        record = json.loads(line)
        hashes = [record["prev"], record["hash"]]
        return record["type"] == "seal" and isinstance(record["count"], int) and all(
            len(text) == 64 and set(text) <= set(string.hexdigits.lower()) for text in hashes)
    except (ValueError, KeyError, TypeError):
        return False


def cut(content, random, last_bytes):
    """`content` without some of its last bytes, sometimes with zeros in their place; and the length that is left."""
    end = len(content) - random.randrange(1, min(last_bytes, len(content)))
    zeros = bytes(random.randrange(1, 9_000)) if random.random() < 0.25 else b""
    return content[:end] + zeros, end


def damage(content, kind, random):
    """`content` with one fault of `kind`; and the first and last byte that differ in meaning."""
    if kind == "flip":
        byte = random.randrange(len(content))
        changed = bytearray(content)
        changed[byte] ^= 1 << random.randrange(8)
        return bytes(changed), byte, byte
    lines = content.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    one = random.randrange(len(lines))
    first, last = starts[one], starts[one]
    if kind == "delete":
        # The last line's absence is a shorter ledger; that is what cuts are for.
        one = random.randrange(len(lines) - 1)
        first = last = starts[one]
        del lines[one]
    elif kind == "swap":
        other = random.choice([n for n in range(len(lines)) if n != one])
        lines[one], lines[other] = lines[other], lines[one]
        first, last = starts[min(one, other)], starts[max(one, other)]
    elif kind == "double":
        lines.insert(one, lines[one])
        last = starts[one + 1]
    else:
        lines[one] = edited(lines[one], random)
    return b"".join(lines), first, last


def edited(line, random):
    """A line of the same form in which one field says something else."""
    record = json.loads(line)
    name = random.choice([name for name, value in record.items()
                          if name not in ("type", "seq") and isinstance(value, (int, str))])
    value = record[name]
    if isinstance(value, int):
        record[name] = value + random.randrange(1, 100)
    else:
        place = random.randrange(len(value)) if value else 0
        digit = random.choice([d for d in string.digits if d != value[place:place + 1]])
        record[name] = value[:place] + digit + value[place + 1:]
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"
