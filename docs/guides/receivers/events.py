# A receiver of version 2, in every shape. Start it with: WEBHOOK_SECRETS="whsec_..." python3 events.py
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify import is_from_mailhook

secrets = os.environ.get("WEBHOOK_SECRETS", "").split()
# Your database, with a unique index of the ids.
store = {}


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if secrets and not is_from_mailhook(self.headers, body, secrets):
            return self.answer(401, {"error": "The signature is wrong."})
        events = events_in(body)
        if events is None:
            return self.answer(400, {"error": "The body must be events of version 2."})
        for event in events:
            store.setdefault(event["id"], event)
        # Only the shape batch has hashes and needs this reply. The other shapes need no body.
        self.answer(200, [{"hash": event["hash"], "status": True} for event in events if "hash" in event])
        print(len(store), "events stored", flush=True)

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def events_in(body):
    try:
        parsed = json.loads(body)
        events = parsed if isinstance(parsed, list) else [parsed]
        return events if all(event["version"] == 2 for event in events) else None
    except (ValueError, TypeError, KeyError):
        return None


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 4000))), Receiver).serve_forever()
