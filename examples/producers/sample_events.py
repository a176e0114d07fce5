import time


def sample_events(account):
    """An event of each type, of a message and of a campaign.

    Give each event an id that stays the same when you send it again: then Mailhook delivers it once.
    """
    now = int(time.time())
    common = {"account": account, "email": "anna@example.com", "metadata": {"order": "4711"}, "tags": ["receipt"]}
    mail = {**common, "module": "transactional_email", "messageId": "m-2026-000123", "time": now}
    campaign = {**common, "module": "campaign", "campaign": "aBcDeFgHiJ", "timestamp": now}
    tracked = {"ip": "192.0.2.1", "userAgent": "Mozilla/5.0", "machine": False, "first": True}
    types = {
        "sent": {},
        "delivered": {"code": "2.0.0", "smtp": 250, "reason": "250 2.0.0 OK"},
        "deferred": {
            "reason": "451 4.7.1 try again later",
            "code": "4.7.1",
            "smtp": 451,
            "cause": "policy",
            "nextTry": now + 600,
        },
        "rejected": {"reason": "the address is on the suppression list", "cause": "suppressed"},
        "open": tracked,
        "click": {**tracked, "url": "https://shop.example.com/sale"},
        "bounce": {
            "type": "hard",
            "reason": "550 5.1.1 no such user",
            "code": "5.1.1",
            "smtp": 550,
            "cause": "invalid",
        },
        "complaint": {"feedbackType": "abuse"},
        "unsubscribe": {"method": "one-click", "list": "newsletter"},
        "subscribe": {"list": "newsletter"},
        "suppression": {"action": "added", "cause": "complaint"},
        "custom": {"label": "survey.answered", "data": {"score": 9}},
    }
    events = []
    for name, own in types.items():
        events.append({**mail, "name": name, **own})
        if name != "suppression":  # only transactional messages have this type
            events.append({**campaign, "event": name, **own})
    return [{**event, "id": f"tracker-7-{now}-{number}"} for number, event in enumerate(events)]
