import json
import time
from pathlib import Path

TYPES = json.loads(Path(__file__).with_name("types.json").read_text())


def sample_events(account):
    """An event of each type, of a message and of a campaign.

    Give each event an id that stays the same when you send it again: then Mailhook delivers it once.
    """
    now = int(time.time())
    common = {"account": account, "email": "anna@example.com", "metadata": {"order": "4711"}, "tags": ["receipt"]}
    events = []
    for one in TYPES:
        for module in one["modules"]:
            if module == "campaign":
                own = {"event": one["type"], "campaign": "aBcDeFgHiJ", "timestamp": now}
            else:
                own = {"name": one["type"], "messageId": "m-2026-000123", "time": now}
            events.append({**common, "module": module, **own, **one["fields"]})
    return [{**event, "id": f"tracker-7-{now}-{number}"} for number, event in enumerate(events)]
