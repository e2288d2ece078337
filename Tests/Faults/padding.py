"""Makes a ledger's last segment so long that it rolls soon, with valid sealed records."""

from Shared.ledger import LINE_LIMIT, Reader, seal_line

SEGMENT_LIMIT = 256 << 20
# So much room is left, for some hundred small records.
ROOM = 30_000
BATCH_LINES = 100


def pad_last_segment(folder):
    """Appends records of an operator's act that changes nothing, up to just under the limit of a segment."""
    reader = Reader(folder)
    *_, last = reader
    path = folder / reader.segments[-1]
    seq, at, prev = last["seq"], last["at"], bytes.fromhex(last["hash"])
    left = SEGMENT_LIMIT - ROOM - path.stat().st_size
    with open(path, "ab") as file:
        while left > 2_000:
            lines = []
            while left > 2_000 and len(lines) < BATCH_LINES:
                seq += 1
                # A seal and this record's own fields take less than 1,000 bytes.
                lines.append(record(seq, at, min(left - 1_000, LINE_LIMIT - 1_000)))
                left -= len(lines[-1])
            seq += 1
            seal, prev = seal_line(lines, seq, at, prev)
            left -= len(seal)
            file.write(b"".join(lines) + seal)


def record(seq, at, length):
    """A record with a reason of so many bytes."""
    head = f'{{"seq":{seq},"at":"{at}","type":"operator","act":"resume","subject":"none","reason":"'
    return f'{head}{"x" * length}","actor":"padding"}}\n'.encode()
