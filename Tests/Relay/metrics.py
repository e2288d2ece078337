"""Scrapes a running service with the parsers of prometheus_client."""

import json
import re
import urllib.error
import urllib.request
from pathlib import Path

from Relay.place import check
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open
from prometheus_client.parser import text_string_to_metric_families as parse_plain

ROOT = Path(__file__).parents[2]
OPEN = "application/openmetrics-text; version=1.0.0"
# There while an API is configured.
WITHOUT_API = {"rewards_api_requests_total", "rewards_api_failures_total", "rewards_api_request_seconds",
               "rewards_api_retries_total", "rewards_api_unchanged_total", "rewards_api_credentials_expired_total",
               "rewards_api_breaker"}
NAME = re.compile(r"\brewards_[a-z_]+\b")


def ask(address, path, token=None, accept=None, body=None):
    """Status, media type and text of an answer."""
    request = urllib.request.Request(f"http://{address}{path}", data=body)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    if accept:
        request.add_header("Accept", accept)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()


def samples(families):
    """The names of samples and of families, those without a sample too."""
    declared = {family.name + ("_total" if family.type == "counter" else "") for family in families}
    return {sample.name for family in families for sample in family.samples} | declared


def scrape(address):
    """The names in both formats, which say the same; and the values without labels and by the first label."""
    status, kind, text = ask(address, "/metrics", accept=OPEN)
    check(status == 200 and kind.startswith("application/openmetrics-text"), f"/metrics: {status} {kind}")
    families = list(parse_open(text))
    status, kind, plain = ask(address, "/metrics")
    check(status == 200 and kind.startswith("text/plain"), f"/metrics: {status} {kind}")
    older = list(parse_plain(plain))
    first = {sample.name for family in families for sample in family.samples}
    second = {sample.name for family in older for sample in family.samples}
    check(first == second, f"the formats differ by {first ^ second}")
    values = {}
    for family in families:
        for sample in family.samples:
            values[(sample.name, tuple(sorted(sample.labels.items())))] = sample.value
    return samples(families), values, text


def documented():
    """The names on the reference page."""
    page = (ROOT / "Sources/rewards/rewards.docc/Metrics.md").read_text()
    return set(re.findall(r"`(rewards_[a-z_]+)`", page))


def drawn():
    """The names that the dashboard and the alert rules use, without the suffixes of histograms."""
    folder = ROOT / "jobs" / "monitoring"
    dashboard = json.loads((folder / "rewards-dashboard.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    rules = (folder / "rewards-alerts.yml").read_text()
    return set(NAME.findall(" ".join(expressions) + " " + rules.split("groups:", 1)[1]))
