# Is a request from Mailhook? Python's standard library only.
import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def is_from_mailhook(headers, body, secrets):
    """headers: names in any case; body: the bytes exactly as they came; secrets: whsec_ and base64."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    given = headers.get("webhook-signature", "").split(" ")
    signed = f"{message_id}.{timestamp}.".encode() + body
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        if any(hmac.compare_digest(right.encode(), one.encode()) for one in given):
            return True
    return False
