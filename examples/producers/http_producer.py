# Sends events over HTTP, with Python's standard library only.
# Start it with: MAILHOOK_URL=... PRODUCER_TOKEN=... ACCOUNT=... python3 http_producer.py
import json
import os
import sys
import time
import urllib.error
import urllib.request

from sample_events import sample_events

EVENTS_PER_REQUEST = 1000  # 10,000 and 16 MiB at most
TRIES = 5


def send(events):
    """Every event has an id, so a request without an answer can be sent again as it was."""
    for start in range(0, len(events), EVENTS_PER_REQUEST):
        post(json.dumps(events[start : start + EVENTS_PER_REQUEST]).encode())


def post(body):
    request = urllib.request.Request(
        os.environ["MAILHOOK_URL"] + "/v3/events",
        data=body,
        headers={"Authorization": "Bearer " + os.environ["PRODUCER_TOKEN"], "Content-Type": "application/json"},
    )
    for attempt in range(1, TRIES + 1):
        wait = 2**attempt / 4
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or attempt == TRIES:
                # A 4xx names the faulty events. It refuses all of the request, and comes again when you repeat it.
                sys.exit(f"Mailhook answered {error.code}: {error.read().decode()}")
            wait = float(error.headers.get("Retry-After", wait))
        except OSError as error:
            if attempt == TRIES:
                sys.exit(f"Mailhook cannot be reached: {error}")
        time.sleep(wait)


events = sample_events(os.environ["ACCOUNT"])
send(events)
print(len(events), "accepted")
