# A receiver with FastAPI, for campaign batches and notifications. Start it with:
# pip install -r requirements.txt && WEBHOOK_SECRETS="whsec_..." python3 receiver.py
import json
import os
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

# verify.py of the guides. In your project, put it beside this file.
sys.path.insert(0, str(Path(__file__).parents[3] / "docs/guides/receivers"))
from verify import is_from_mailhook  # noqa: E402

secrets = os.environ.get("WEBHOOK_SECRETS", "").split()
# Your database. The key is what tells an event that came before: its id in version 2.
store = {}

app = FastAPI()


@app.post("/")
async def receive(request: Request):
    # The signature covers the body as it came, so take its bytes instead of a model.
    content = await request.body()
    if secrets and not is_from_mailhook(request.headers, content, secrets):
        return JSONResponse({"error": "The signature is wrong."}, 401)
    try:
        body = json.loads(content)
    except ValueError:
        return JSONResponse({"error": "The body must be JSON."}, 400)
    if isinstance(body, list):
        store.update({event.get("id") or event["hash"]: event for event in body})
        return [{"hash": event.get("hash"), "status": True} for event in body]
    if "test" in body:
        return {"status": "ok"}
    store[body.get("id") or request.headers.get("webhook-id")] = body
    return {}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", 4000)), log_level="warning")
