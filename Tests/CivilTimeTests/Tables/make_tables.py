#!/usr/bin/env python3
"""Makes the tables of this folder from implementations that share nothing with ours.

usage: make_tables.py [TZDATA_ZI]

Needs `zic`, a `tzdata.zi` (default /usr/share/zoneinfo/tzdata.zi) and, from PyPI, `cronsim`.

  zoneinfo/      TZif files of some zones, written by zic in its slim form, so that most dates depend on the footers
  windows.tsv    zone, then day:start:end of days around changes of offset; start and end are - where there is no such day
  every_zone.tsv the same for a few days of every zone of the system's database
  local.tsv      zone, local time, what Python's fold makes of it: unique, gap or overlap, and the instants for fold 0 and 1
  cron.tsv       expression, zone, from, and the next four fires by cronsim
  instants.tsv   text, and the exact seconds since 1970

Instants are seconds since 1970. The same database and seed give the same bytes.
"""
import os, random, re, shutil, subprocess, sys, tempfile, zoneinfo
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal, getcontext

from cronsim import CronSim

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/zoneinfo/tzdata.zi"
ZONES = """
Africa/Abidjan Africa/Cairo Africa/Casablanca Africa/El_Aaiun Africa/Monrovia Africa/Windhoek America/Adak
America/Anchorage America/Argentina/San_Luis America/Asuncion America/Caracas America/Chicago America/Coyhaique
America/Edmonton America/Havana America/Inuvik America/Juneau America/Mexico_City America/New_York America/Nuuk
America/Phoenix America/Port-au-Prince America/Santiago America/Sao_Paulo America/Scoresbysund America/St_Johns
America/Vancouver Antarctica/Casey Antarctica/Troll Asia/Almaty Asia/Amman Asia/Beirut Asia/Damascus Asia/Dhaka Asia/Gaza
Asia/Hebron Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Manila Asia/Pyongyang Asia/Shanghai Asia/Tehran Asia/Tokyo
Asia/Ulaanbaatar Atlantic/Azores Australia/Adelaide Australia/Eucla Australia/Lord_Howe Australia/Sydney Etc/GMT-14
Etc/GMT+12 Europe/Berlin Europe/Chisinau Europe/Dublin Europe/Istanbul Europe/Lisbon Europe/London Europe/Moscow
Europe/Riga Pacific/Apia Pacific/Auckland Pacific/Chatham Pacific/Easter Pacific/Fakaofo Pacific/Guam
Pacific/Kiritimati Pacific/Kwajalein Pacific/Norfolk UTC
""".split()
rng = random.Random(20261120)
getcontext().prec = 40


def seconds(instant):
    return (instant - EPOCH) // timedelta(seconds=1)


def zone(name):
    return zoneinfo.ZoneInfo.no_cache(name)


def write(name, lines):
    with open(os.path.join(HERE, name), "w") as f:
        f.writelines(line + "\n" for line in lines)


def compile_zones():
    """The zones' files, slim, and the version beside them."""
    with open(SOURCE) as f:
        version = re.match(r"# version (\S+)", f.readline()).group(1)
    target = os.path.join(HERE, "zoneinfo")
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(["zic", "-b", "slim", "-d", made, SOURCE], check=True)
        for name in ZONES:
            os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
            shutil.copyfile(os.path.join(made, name), os.path.join(target, name))
    with open(os.path.join(target, "+VERSION"), "w") as f:
        f.write(version + "\n")
    zoneinfo.reset_tzpath([target])


def first_instant(tz, day):
    """The first second whose local date is `day` or later: every half minute is looked at, then every second."""
    at = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=17)
    while (at + timedelta(seconds=30)).astimezone(tz).date() < day:
        at += timedelta(seconds=30)
    while at.astimezone(tz).date() < day:
        at += timedelta(seconds=1)
    return at


def window(tz, day):
    start, end = first_instant(tz, day), first_instant(tz, day + timedelta(days=1))
    return f"{day}:{seconds(start)}:{seconds(end)}" if start < end else f"{day}:-:-"


def changes(tz):
    """Days near which the offset changes, 1900 to 2100."""
    at, found, last = datetime(1900, 1, 1, tzinfo=UTC), [], None
    while at.year < 2100:
        offset = at.astimezone(tz).utcoffset()
        if last is not None and offset != last:
            found.append(at)
        at, last = at + timedelta(hours=12), offset
    return found


def sampled_changes():
    return {name: rng.sample(found, min(14, len(found))) for name in ZONES for found in [changes(zone(name))]}


def windows(sample):
    for name, days in sample.items():
        dates = {(at + timedelta(days=d)).astimezone(zone(name)).date() for at in days for d in (-1, 0, 1)}
        dates |= {date(rng.randint(1850, 2400), rng.randint(1, 12), rng.randint(1, 28)) for _ in range(3)}
        if name in ("Pacific/Apia", "Pacific/Fakaofo"):
            dates.add(date(2011, 12, 30))
        if name == "America/St_Johns":
            dates |= {date(2006, 10, 28), date(2006, 10, 29), date(2010, 11, 7)}
        yield "\t".join([name] + [window(zone(name), day) for day in sorted(dates)])


def every_zone():
    with open(SOURCE) as f:
        yield re.match(r"# version (\S+)", f.readline()).group(1)
    zoneinfo.reset_tzpath([os.path.dirname(SOURCE)])
    for name in sorted(zoneinfo.available_timezones() - {"localtime"}):
        dates = [date(rng.randint(1950, 2060), rng.randint(1, 12), rng.randint(1, 28)) for _ in range(2)]
        yield "\t".join([name] + [window(zone(name), day) for day in dates])


def local_times(sample):
    for name, days in sample.items():
        tz = zone(name)
        for at in rng.sample(days, min(6, len(days))):
            # Every quarter of an hour of the two days around; one of each kind is kept.
            kept = {}
            for quarter in range(192):
                naive = (at - timedelta(days=1)).replace(tzinfo=None) + timedelta(minutes=15 * quarter)
                both = [naive.replace(tzinfo=tz, fold=fold).astimezone(UTC) for fold in (0, 1)]
                if both[0] == both[1]:
                    kind = "unique"
                else:
                    kind = "overlap" if both[0].astimezone(tz).replace(tzinfo=None) == naive else "gap"
                kept.setdefault(kind, []).append((naive, both))
            for kind, found in sorted(kept.items()):
                naive, both = rng.choice(found)
                yield f"{name}\t{naive:%Y-%m-%dT%H:%M}\t{kind}\t{seconds(both[0])}\t{seconds(both[1])}"


def field(low, high, names):
    def number():
        value = rng.randint(low, high)
        return rng.choice(names)[1] if names and rng.random() < 0.3 else str(value)
    # Not n-n: cronsim reads n-n/s as n/s.
    a, b = sorted(rng.sample(range(low, high + 1), 2))
    return rng.choice(["*", "*", "*", number(), number(), f"*/{rng.randint(1, 9)}", f"{a}-{b}", f"{a}-{b}/{rng.randint(1, 4)}",
                       f"{number()}/{rng.randint(1, 5)}", f"{number()},{number()}", f"{a}-{b},{number()}"])


def hourly_changes(sample):
    """Those that move the clock by one or two whole hours: others cronsim, which walks in steps of hours, gets wrong."""
    hours = {timedelta(hours=h) for h in (-2, -1, 1, 2)}
    return {name: found for name in ZONES
            for found in [[at for at in sample[name] if at.year > 1970 and
                           at.astimezone(zone(name)).utcoffset()
                           - (at - timedelta(hours=12)).astimezone(zone(name)).utcoffset() in hours]] if found}


def crons(sample):
    sample = hourly_changes(sample)
    months = list(enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1))
    days = list(enumerate("Sun Mon Tue Wed Thu Fri Sat".split()))
    rows = 0
    while rows < 700:
        # The weekday's random numbers stop at 7, which is Sunday.
        parts = [field(0, 59, None), field(0, 23, None), field(1, 31, None), field(1, 12, months), field(0, 7, days)]
        if rows % 3:
            # Most rows: near a change of offset, every day, so that the change matters.
            parts = [rng.choice(["0", "30", "15,45", "*/20", "7"]), rng.choice(["0", "1", "2", "3", "23", "0-4", "*", "*/2"]),
                     "*", "*", "*"]
        name = rng.choice(list(sample))
        at = rng.choice(sample[name]) - timedelta(minutes=rng.randint(0, 2880)) + timedelta(seconds=rng.randint(0, 59))
        expression = " ".join(parts)
        try:
            fires = CronSim(expression, at.astimezone(zone(name)))
            expected = [seconds(next(fires).astimezone(UTC)) for _ in range(4)]
        except Exception:  # refused by cronsim, or no fire within its fifty years
            continue
        rows += 1
        yield "\t".join([expression, name, str(seconds(at))] + [str(e) for e in expected])


def instants():
    for _ in range(400):
        at = datetime(rng.randint(1, 9999), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59),
                      rng.randint(0, 59))
        digits = "".join(rng.choice("0123456789") for _ in range(rng.choice([0, 0, 1, 3, 6, 9, 12, 18])))
        minutes = rng.choice([None, 0, 0, 330, -1439, 1439, rng.randint(-1439, 1439)])
        offset = "" if minutes is None else rng.choice("Zz") if minutes == 0 else \
            f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
        whole = (at - datetime(1970, 1, 1)) // timedelta(seconds=1) - 60 * (minutes or 0)
        if not -62135596800 <= whole <= 253402300799:
            continue
        text = f"{at.year:04}-{at:%m-%d}{rng.choice('Tt ')}{at:%H:%M:%S}" + (digits and "." + digits) + offset
        exact = f"{Decimal(whole) + Decimal('0.' + (digits or '0')):f}"
        yield f"{text}\t{exact.rstrip('0').rstrip('.') if '.' in exact else exact}"


compile_zones()
sample = sampled_changes()
write("windows.tsv", windows(sample))
write("local.tsv", local_times(sample))
write("cron.tsv", crons(sample))
write("instants.tsv", instants())
write("every_zone.tsv", every_zone())
