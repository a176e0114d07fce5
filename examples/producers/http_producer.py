# Sends events over HTTP as NDJSON, one JSON object per line, with Python's standard library only.
# Start it with: MAILHOOK_URL=... PRODUCER_TOKEN=... ACCOUNT=... python3 http_producer.py
import http.client
import json
import math
import os
import sys
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime

from sample_events import sample_events

EVENTS_PER_REQUEST = 1000  # 10,000 and 16 MiB at most
TRIES = 5
LONGEST_WAIT_S = 30


def send(events):
    """Every event has an id, so a request without an answer can be sent again as it was."""
    for start in range(0, len(events), EVENTS_PER_REQUEST):
        post(events[start : start + EVENTS_PER_REQUEST])


def post(events):
    body = "\n".join(json.dumps(event) for event in events).encode()
    for attempt in range(1, TRIES + 1):
        status, text, asked = exchange(body)
        # Proxies and bot protections send 2xx too. Only Mailhook says how many events it accepted.
        if status == 202 and accepted(text) == len(events):
            return
        may_pass = status < 300 or status >= 500 or status in (408, 425, 429)
        if not may_pass or attempt == TRIES:
            # A 4xx names the faulty events. It refuses all of the request, and comes again when you repeat it.
            said = f"Mailhook answered {status}" if status else "Mailhook cannot be reached"
            sys.exit(f"{said}: {text[:1000]}")
        time.sleep(max(2**attempt / 4, asked))


def exchange(body):
    """The status of the answer (0: there was none), its text, and the wait in seconds that it asks for."""
    request = urllib.request.Request(
        os.environ["MAILHOOK_URL"] + "/v3/events",
        data=body,
        headers={"Authorization": "Bearer " + os.environ["PRODUCER_TOKEN"], "Content-Type": "application/x-ndjson"},
    )
    try:
        try:
            reply = urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as error:
            reply = error
        with reply:
            text = reply.read().decode(errors="replace")
            return reply.status, text, asked_wait(reply.headers.get_all("Retry-After", []))
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error), 0


def accepted(text):
    try:
        return json.loads(text)["accepted"]
    except (ValueError, TypeError, KeyError):
        return None


def asked_wait(values):
    """The longest wait in seconds that Retry-After asks for, in numbers or as a date. 0 if nothing can be read."""
    waits = [0]
    for value in values:
        try:
            waits.append(parsedate_to_datetime(value).timestamp() - time.time())
        except (TypeError, ValueError):
            numbers = [number.strip() for number in value.split(",")]
            waits += [float(number) for number in numbers if number.replace(".", "", 1).isdecimal()]
    return math.ceil(min(max(waits), LONGEST_WAIT_S))


events = sample_events(os.environ["ACCOUNT"])
send(events)
print(len(events), "accepted")
