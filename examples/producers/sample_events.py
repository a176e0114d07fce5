import time


def sample_events(account):
    """An event of each type.

    Give each event an id that stays the same when you send it again: then Mailhook delivers it once.
    """
    now = int(time.time())
    mail = {"account": account, "module": "transactional_email", "messageId": "m-2026-000123", "time": now}
    campaign = {
        "account": account,
        "module": "campaign",
        "campaign": "aBcDeFgHiJ",
        "email": "anna@example.com",
        "timestamp": now,
    }
    url = "https://shop.example.com/sale"
    events = [
        {**mail, "name": "open", "ip": "192.0.2.1"},
        {**mail, "name": "click", "ip": "192.0.2.1", "userAgent": "Mozilla/5.0", "url": url},
        {**mail, "name": "bounce", "type": "hard", "reason": "550 5.1.1 no such user"},
        {**campaign, "event": "open"},
        {**campaign, "event": "click", "url": url},
        {**campaign, "event": "unsubscribe"},
    ]
    return [{**event, "id": f"tracker-7-{now}-{number}"} for number, event in enumerate(events)]
