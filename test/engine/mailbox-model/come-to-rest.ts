import { HOUR_MS } from './limits.ts';
import { holdsAnything } from './mailbox-state.ts';
import { answerBatch } from './receiver-answers.ts';
import { must } from './violation.ts';
import type { Worker } from './workers.ts';
import type { World } from './world.ts';

/** Each dead worker takes three. */
const PAGES_MAX = 400;

/** Checks that with a healthy receiver and one worker, all events become delivered, dead or discarded. */
export async function comeToRest(world: World): Promise<void> {
  for (const worker of [...world.workers]) await world.faults.crash(worker);
  await world.operator.save(true, false);
  const worker = world.workers[0] as Worker;
  for (let round = 0; round < 400 && holdsAnything(world.model.s); round += 1) {
    await world.faults.clockStep(2 * HOUR_MS);
    await world.faults.endOtherLeases(worker);
    let page = 0;
    for (; page < PAGES_MAX && !(await world.calls.heartbeat(worker)); page += 1) await world.compare();
    must(page < PAGES_MAX, 'the search for mailboxes of dead workers does not end');
    await world.jobWakes('');
    await world.calls.take(worker, true);
    for (const drain of [...worker.drains.values()]) {
      if (drain.isGivingUp) {
        await world.calls.giveUpStep(worker, drain);
        continue;
      }
      while (drain.inFlight.size > 0) answerBatch(world, drain, 0, 'delivered');
      await world.calls.next(worker, drain, 4, true);
    }
    await world.compare();
  }
  must(!holdsAnything(world.model.s), 'events wait that no worker will send');
}
