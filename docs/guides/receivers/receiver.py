# A receiver of batches and of notifications. Start it with: python3 receiver.py
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Your database. The key is what tells an event that came before: its id in version 2.
store = {}


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open

    def do_POST(self):
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        except ValueError:
            return self.answer(400, {"error": "The body must be JSON."})
        if isinstance(body, list):
            store.update({event.get("id") or event["hash"]: event for event in body})
            self.answer(200, [{"hash": event.get("hash"), "status": True} for event in body])
        elif "test" in body:
            self.answer(200, {"status": "ok"})
        else:
            store[body.get("id") or self.headers["webhook-id"]] = body
            self.answer(200, {})
        print(len(store), "events stored", flush=True)

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 4000))), Receiver).serve_forever()
