# Adds events to Mailhook's queue in Redis, with the BullMQ package for Python: pip install -r requirements.txt
# Start it with: REDIS_URL=... ACCOUNT=... python3 queue_producer.py
import asyncio
import json
import os

from bullmq import Job, Queue

from sample_events import sample_events


async def main():
    prefix = os.environ.get("QUEUE_PREFIX", "mailhook")
    queue = Queue("email-events", {"connection": os.environ["REDIS_URL"], "prefix": prefix})
    # Keeps the finished job for ten minutes, so that the result can be read. 10,000 events and 16 MiB per job at most.
    events = sample_events(os.environ["ACCOUNT"])
    job = await queue.add("events", {"events": events}, {"removeOnComplete": {"age": 600}})
    print(json.dumps(await result_of(queue, job.id)))
    await queue.close()


async def result_of(queue, job_id):
    """The job is durable already. Wait for its result only to learn of rejected events."""
    while True:
        state = await queue.getJobState(job_id)
        if state in ("completed", "failed", "unknown"):
            break
        await asyncio.sleep(0.05)
    job = await Job.fromId(queue, job_id) if state != "unknown" else None
    return {"state": state, **(job.returnvalue or {} if job else {})}


asyncio.run(main())
