import { fieldsOfEvent } from '@mailhook/core';
import type { Destination } from '@mailhook/core';
import { createEventLogBuffers, createReplayProgress, createReplayPublisher } from '@mailhook/delivery';
import { createEventLog, createFolderStore } from '@mailhook/event-log';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { aShownDestination, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createReadRecent } from '../../services/api/src/event-log/buffers.ts';
import { startFeeder } from '../../services/api/src/event-log/feeder.ts';
import type { FeederDeps } from '../../services/api/src/event-log/feeder.ts';
import { createReplays } from '../../services/api/src/event-log/replays.ts';
import type { Replays, StoredReplay } from '../../services/api/src/event-log/replays.ts';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsOf, inShape } from './version-2.suite.ts';

const HOUR_MS = 3_600_000;

/** A destination, and an event log with a past that no destination got. */
export interface ReplayRig extends Closeable {
  readonly rig: Rig;
  readonly receiver: FakeReceiver;
  readonly destination: Destination;
  readonly replays: Replays;
  /** Of all events of the past. */
  startReplay(outcome?: 'all' | 'unmatched'): Promise<string>;
  startFeeder(deps?: Partial<FeederDeps>): Closeable;
  untilDone(replay: string): Promise<StoredReplay>;
}

/** @param past events in the log: `event-0` and so on, each of a recipient of its own. */
export async function startReplayRig(past: number): Promise<ReplayRig> {
  const receiver = await startReceiver();
  const rig = await startRig({ kind: 'campaign', scheduleMs: [10], logMaxBytes: 10_000_000 });
  const folder = await mkdtemp(path.join(tmpdir(), 'feeder-'));
  const store = createFolderStore(folder);
  const log = createEventLog({ store, key: 'key', retentionMs: HOUR_MS });
  const destination = await rig.destination(uniqueName('account'), receiver.url, inShape('array'));
  const acceptedAtMs = Date.now() - HOUR_MS / 2;
  const events = eventsOf('campaign', 0, past).map((event, n) => ({
    acceptedAtMs: acceptedAtMs + n,
    chunk: 'c1',
    n,
    destinations: [],
    ...fieldsOfEvent({ ...event, account: destination.account, email: `${event.id}@example.com` }),
  }));
  await log.close('0', { events, outcomes: [], gaps: [] });
  const replays = createReplays(rig.installation);
  const running: Closeable[] = [];
  return {
    rig,
    receiver,
    destination,
    replays,
    startReplay(outcome = 'all') {
      const [from, to] = [acceptedAtMs, acceptedAtMs + HOUR_MS / 4].map((ms) => new Date(ms).toISOString());
      return replays.start(destination.account, destination.id, { from, to, outcome });
    },
    startFeeder(deps = {}) {
      const feeder = startFeeder({
        installation: rig.installation,
        open: {
          log,
          readRecent: createReadRecent(createEventLogBuffers(rig.installation)),
          buffers: [rig.log],
          retentionMs: HOUR_MS,
          close: () => Promise.resolve(),
        },
        replays,
        publisher: { isOverfull: () => false },
        replayPublisher: createReplayPublisher(rig.installation),
        progress: createReplayProgress(rig.installation),
        destinations: () =>
          Promise.resolve([
            aShownDestination({ id: 'campaign', module: 'campaign', version: 2, shape: 'array', types: ['delivered'] }),
          ]),
        logger: createLogger({ level: 'silent', service: 'api', pretty: false }),
        ...deps,
      });
      running.push(feeder);
      return feeder;
    },
    untilDone: (replay) =>
      eventually(
        async () => {
          const found = await replays.read(replay);
          return found?.state === 'done' && found;
        },
        { withinMs: 20_000, what: 'the end of the replay' },
      ),
    async close() {
      for (const one of running.splice(0)) await one.close();
      await rig.close();
      await receiver.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
