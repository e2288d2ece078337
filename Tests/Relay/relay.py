#!/usr/bin/env python3
"""Delivers to receivers that check by other people's libraries, and that answer in every wrong way.

    relay.py PROGRAM [--only SCENE]
"""

import json
import re
import sys
import time
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Relay import metrics
from Relay.place import SECRETS, Place, check, passes
from Relay.pushservice import Google
from Relay.receiver import HalfHandshake, Receiver, Untrusted, parsed
from Shared.civil import show
from Shared.program import arguments, json_lines
from Shared.waiting import free_port, wait_until

FILE = {"kind": "file", "path": "./events.jsonl"}


def in_order(firsts, reference, name):
    """Every event of `reference` came, those of each user in its order."""
    ids = [found for found, _, _ in firsts]
    missing = [event["id"] for event in reference if event["id"] not in set(ids)]
    check(not missing, f"{name} lacks {len(missing)} of {len(reference)} events, as {missing[:3]}")
    place = {found: number for number, found in enumerate(ids)}
    last = {}
    for event in reference:
        user = event.get("subject", "")
        now = place[event["id"]]
        check(now > last.get(user, -1), f"{name}: {event['id']} of {user} came out of order")
        last[user] = now


def signed(program):
    """Two secrets while rotating; each event once; the test event; the answer of a refusal."""
    place, receiver = Place(program), Receiver(SECRETS)
    place.begin({"notify": place.webhook(receiver.url, previousSecret={"file": "./previous"}), "journal": FILE})
    check("HTTP 204" in place.run("relay", "test", "notify").out, "the test event did not arrive")
    place.serve()
    place.deeds("comment")
    wait_until(lambda: len(parsed(place.folder / "events.jsonl")) >= 2 * len(place.users), "the file's events")
    wait_until(lambda: len(receiver.firsts) > 2 * len(place.users), "the webhook's events")
    place.stop()
    reference = parsed(place.folder / "events.jsonl")
    in_order(receiver.firsts, reference, "notify")
    check(receiver.deliveries == len(receiver.firsts), "something came twice although nothing failed")
    check(not receiver.flaws, f"flaws: {receiver.flaws[:3]}")
    check(place.status()["notify"]["waiting"] == 0, "something waits")
    key = next(event["id"] for event in reference if event["type"].endswith("granted.v1"))
    place.run("relay", "replay", key, "--sink", "notify")
    place.serve()
    wait_until(lambda: receiver.deliveries == len(receiver.firsts) + 1, "the replay")
    place.stop()
    check(not receiver.flaws, f"flaws: {receiver.flaws[:3]}")
    receiver.close()
    return f"{len(reference)} events, verified by standardwebhooks and cloudevents, one again by relay replay"


def wrong_ways(program):
    """Whatever one receiver does, the others get everything at once, and it gets everything later."""
    told = []
    for manner in ["broken", "busy", "elsewhere", "drop", "never", "drip"]:
        place, bad, good = Place(program, users=10), Receiver(SECRETS[:1]), Receiver(SECRETS[:1])
        bad.manner = manner
        place.begin({"bad": place.webhook(bad.url, timeoutSeconds=2), "good": place.webhook(good.url), "journal": FILE})
        place.serve()
        place.deeds()
        wait_until(lambda: len(good.firsts) >= 20, f"the good sink's events beside {manner}")
        wait_until(lambda: bad.refused > 0, f"an attempt at {manner}")
        # The circuit opens: nobody is asked for ever.
        time.sleep(2)
        check(bad.refused <= 30, f"{manner}: {bad.refused} attempts in some seconds")
        bad.manner = "well"
        place.run("relay", "resume", "bad")
        reference = parsed(place.folder / "events.jsonl")
        wait_until(lambda: len(bad.firsts) >= len(reference) or place.status()["bad"]["behind"] > 0, f"{manner} to go on")
        wait_until(lambda: len(bad.firsts) == len(reference), f"all events after {manner}", within=60)
        in_order(bad.firsts, reference, manner)
        check(not bad.flaws and not good.flaws, f"{manner}: {bad.flaws[:3]} {good.flaws[:3]}")
        place.stop()
        bad.close()
        good.close()
        told.append(manner)
    return ", ".join(told)


def handshake(program):
    """Half a TLS handshake costs its own sink a time-out."""
    place, half, good = Place(program, users=5), HalfHandshake(), Receiver(SECRETS[:1])
    place.begin({"half": place.webhook(half.url, timeoutSeconds=2), "good": place.webhook(good.url)})
    place.serve()
    place.deeds()
    wait_until(lambda: len(good.firsts) >= 10, "the good sink's events")
    wait_until(lambda: place.status()["half"]["failures"] > 0, "a failure")
    place.stop()
    half.close()
    good.close()
    return "given up in time, the other sink untouched"


def certificate(program):
    """Nothing is told to a receiver whose certificate nobody vouches for; the test says so."""
    place, good = Place(program, users=5), Receiver(SECRETS[:1])
    bad = Untrusted(SECRETS[:1], place.folder)
    place.begin({"bad": place.webhook(bad.url, timeoutSeconds=5), "good": place.webhook(good.url)})
    told = place.run("relay", "test", "bad", codes=(69,)).out
    check("certificate" in told, f"the cause is not named: {told}")
    check("certificate" in place.run("doctor", codes=None).out, "doctor does not name the certificate")
    place.serve()
    place.deeds()
    wait_until(lambda: len(good.firsts) >= 10, "the good sink's events")
    wait_until(lambda: place.status()["bad"]["failures"] > 0, "a failure")
    check(place.status()["bad"]["waiting"] == len(good.firsts), "something does not wait")
    check(bad.deliveries == bad.refused == 0, "something was told")
    place.stop()
    bad.close()
    good.close()
    return "refused, everything waits"


def progress(program):
    """A progress that is damaged is put aside, another ledger's is refused with what to do; either way all comes again under the same ids."""
    receivers = [Receiver(SECRETS[:1]), Receiver(SECRETS[:1])]
    places = [Place(program, users=5), Place(program, users=3)]
    for place, receiver in zip(places, receivers):
        place.begin({"notify": place.webhook(receiver.url)})
        place.serve()
        place.deeds()
        wait_until(lambda: place.status()["notify"]["waiting"] == 0 and place.status()["notify"]["delivered"] >= 2 * len(place.users),
             "the events")
        place.stop()
    Place.last = place = places[0]
    receiver = receivers[0]
    count, ids = place.status()["notify"]["delivered"], set(receiver.bodies)

    def all_again(what):
        before = receiver.deliveries
        place.serve()
        wait_until(lambda: receiver.deliveries >= before + count, f"all events again after {what}")
        wait_until(lambda: place.status()["notify"]["waiting"] == 0, "the end")
        place.stop()
        check(set(receiver.bodies) == ids, "an event came under another id")

    folder = place.folder / "data" / "relay" / "notify"
    kept = folder / "progress.json"
    flipped = bytearray(kept.read_bytes())
    flipped[len(flipped) // 2] ^= 1
    kept.write_bytes(flipped)
    told = place.run("relay", "status", codes=(65,)).err
    check("progress.json" in told and "rewards serve" in told, f"damaged: {told}")
    all_again("damage")
    check((folder / "progress.json.damaged").read_bytes() == flipped, "what was damaged is gone")
    check("could not be read" in place.service.log, "nobody was told of the damage")
    folder.rename(place.folder / "kept")
    other = places[1].folder / "data" / "relay" / "notify"
    other.rename(folder)
    refused = place.run("serve", codes=None)
    folder.rename(other)
    check(refused.code not in (0, 1), "another ledger's progress was taken")
    check("move it away" in refused.err and "relay/notify" in refused.err, f"another ledger's: {refused.err}")
    all_again("a new folder")
    check(not receiver.flaws, f"flaws: {receiver.flaws[:3]}")
    for receiver in receivers:
        receiver.close()
    return f"put aside or refused with what to do; {count} events again under their ids, twice"


def metrics_page(program):
    """What a scraper sees, in both formats; no user; balances and activities over HTTP."""
    place, receiver = Place(program, users=10), Receiver(SECRETS[:1])
    port = free_port()
    place.write("admin-token", "a token of a test", mode=0o600)
    place.begin({"notify": place.webhook(receiver.url), "journal": FILE},
                admin={"listen": f"127.0.0.1:{port}", "token": {"file": "./admin-token"}})
    place.serve()
    address = f"127.0.0.1:{port}"
    wait_until(lambda: metrics.ask(address, "/readyz")[0] == 200, "readiness")
    time.sleep(1.1)
    line = json_lines([{"user": "u3", "kind": "comment", "at": show(time.time()), "id": "http"}]).encode()
    check(metrics.ask(address, "/v1/activity", body=line)[0] == 401, "an activity was taken without the token")
    status, _, text = metrics.ask(address, "/v1/activity", token="a token of a test", body=line)
    check(status == 202 and json.loads(text)["bytes"] == len(line), f"activity: {status} {text}")
    wait_until(lambda: json.loads(metrics.ask(address, "/v1/users/u3", token="a token of a test")[2])["points"] == 30, "the points of u3")
    check(place.run("balance", "u3", "--format", "json").document["points"] == 30, "balance says otherwise")
    check(metrics.ask(address, "/v1/users/nobody", token="a token of a test")[0] == 404, "nobody is known")
    wait_until(lambda: len(receiver.firsts) >= 3, "the events of u3")
    names, values, page = metrics.scrape(address)
    check(not re.search(r"\bu\d+\b", page), "a metric names a user")
    check(values[("rewards_granting", ())] == 1, "rewards_granting is not 1")
    check(values[("rewards_points_given_total", ())] == 30, "rewards_points_given_total is not 30")
    delivered = ("rewards_relay_delivered_total", (("sink", "notify"),))
    wait_until(lambda: metrics.scrape(address)[1][delivered] >= 3, "rewards_relay_delivered_total")
    check(values[("rewards_ledger_head", ())] > 0, "rewards_ledger_head is 0")
    listed = metrics.documented()
    plain = {re.sub(r"_(bucket|count|sum)$", "", name) for name in names}
    lacking = {name for name in listed if name not in plain and name not in names}
    check(not lacking - metrics.WITHOUT_API, f"the page names what is not there: {lacking}")
    # A family without a sample yet is there by its declaration.
    unlisted = {name for name in plain if name not in listed and name + "_total" not in listed}
    check(not unlisted, f"the page lacks {unlisted}")
    strange = {re.sub(r"_(bucket|count|sum)$", "", name) for name in metrics.drawn()} - listed
    check(not strange, f"dashboard or rules name {strange}")
    place.stop()
    receiver.close()
    return f"{len(plain)} names, by prometheus_client in both formats; {len(metrics.drawn())} of them on dashboard and in rules"


def pushes(program):
    """Assertions that PyJWT verifies, texts by language, one token for all, a device that is gone, a test."""
    place, google = Place(program, users=0), Google()
    users = [{"user": f"u{number}", "timezone": "UTC", "deviceToken": f"d{number}", "language": ["en", "ja", "xx"][number % 3]}
             for number in range(12)]
    place.users = [user["user"] for user in users]
    place.begin({"push": place.push(google, {
        "en": {"title": "{points} points", "body": "for {mission}"}, "ja": {"title": "{points}点", "body": "{mission}"}})}, users)
    check("HTTP 200" in place.run("relay", "test", "push").out, "the test was not taken")
    check(google.tokens == 1 and not google.messages, "the test was sent to somebody")
    google.gone.add("d5")
    place.serve()
    place.deeds("comment")
    wait_until(lambda: len(google.messages) >= 2 * 11, "the pushes")
    wait_until(lambda: place.status()["push"]["waiting"] == 0, "the last push")
    check(google.tokens == 2, f"{google.tokens} tokens were asked for")
    check(not google.flaws, f"flaws: {google.flaws[:3]}")
    check({target for target, _ in google.messages} == {f"d{number}" for number in range(12)} - {"d5"}, "others were told")
    titles = {target: message["notification"]["title"] for target, message in google.messages if message["data"]["mission"] == "comment"}
    check((titles["d0"], titles["d1"], titles["d2"]) == ("5 points", "5点", "5 points"), f"titles {titles}")
    place.stop()
    google.gone.clear()
    google.messages.clear()
    place.serve()
    place.deeds("purchase")
    wait_until(lambda: len(google.messages) >= 11, "the pushes after a restart")
    time.sleep(1)
    check("d5" not in {target for target, _ in google.messages}, "a token that was forgotten came back")
    log = place.service.log + (place.folder / "data" / "relay" / "push" / "forgotten").read_text()
    check("BEGIN" not in log and "token-" not in log and "d5" not in log, "a secret in the log")
    place.stop()
    place.write("texts.json", '{"fallback": "en", "texts": {"level.reached": {"en": {"title": "{points}", "body": "x"}}}}')
    told = place.run("relay", "test", "push", codes=(78,)).err
    check("{points} is not one of {level}" in told, f"a wrong placeholder: {told}")
    told = place.run("doctor", codes=None).out
    check("{points} is not one of {level}" in told, f"doctor does not name the text: {told}")
    google.close()
    return "RS256 verified by PyJWT, 2 tokens, languages with fallback, a forgotten device, a refused template"


def broadcast(program):
    """Two people push a text to everybody through the topic, once, whatever is repeated and restarted."""
    place, google = Place(program, users=2), Google()
    place.begin({"push": {**place.push(google), "topic": "all"}}, approval={"by": "actor"})
    place.serve()
    words = ["relay", "broadcast", "--title", "Autumn cup", "--body", "Gifts count twice", "--loc-key", "CUP", "--reason", "campaign"]
    asked = place.run(*words, "--actor", "alice", codes=(77,)).err
    number = re.search(r"--approve (\w+)", asked).group(1)
    place.run(*words, "--actor", "alice", "--approve", number, codes=(77,))
    check(not google.messages, "one person told everybody")
    place.run(*words, "--actor", "bob", "--approve", number)
    wait_until(lambda: google.messages, "the broadcast")
    place.run(*words, "--actor", "bob", "--approve", number, codes=None)
    place.stop()
    place.serve()
    wait_until(lambda: place.status()["push"]["waiting"] == 0, "the rest")
    place.stop()
    check(not google.flaws, f"flaws: {google.flaws[:3]}")
    check([target for target, _ in google.messages] == ["all"], f"sent to {[target for target, _ in google.messages]}")
    notification = google.messages[0][1]["notification"]
    check(notification["title"] == "Autumn cup", f"the notification is {notification}")
    google.close()
    return "one message to the topic, after a request, an approval, a repetition and a restart"


def main():
    scenes = {"signed": signed, "wrong ways": wrong_ways, "half a handshake": handshake, "certificate": certificate,
              "progress": progress, "metrics": metrics_page, "pushes": pushes, "broadcast": broadcast}
    parser = arguments(__doc__)
    parser.add_argument("--only", choices=scenes, help="a scene by name")
    chosen = parser.parse_args()
    return 0 if all(passes(name, lambda: scene(chosen.program)) for name, scene in scenes.items()
                    if chosen.only in (None, name)) else 1


if __name__ == "__main__":
    sys.exit(main())
