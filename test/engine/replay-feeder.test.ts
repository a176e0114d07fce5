import { fieldsOfEvent } from '@mailhook/core';
import type { Destination } from '@mailhook/core';
import { createEventLogBuffers, createReplayProgress, createReplayPublisher } from '@mailhook/delivery';
import type { ReplayPublisher } from '@mailhook/delivery';
import { createEventLog, createFolderStore } from '@mailhook/event-log';
import type { EventLog, LogStore } from '@mailhook/event-log';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { aShownDestination, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createReadRecent } from '../../services/api/src/event-log/buffers.ts';
import { startFeeder } from '../../services/api/src/event-log/feeder.ts';
import { createReplays } from '../../services/api/src/event-log/replays.ts';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsOf, idsIn, inShape } from './version-2.suite.ts';

const HOUR_MS = 3_600_000;
/** More than one page. */
const EVENTS = 700;

describe('the feeder of replays', () => {
  let rig: Rig;
  let receiver: FakeReceiver;
  let folder: string;
  let store: LogStore;
  let log: EventLog;
  let destination: Destination;
  const running: Closeable[] = [];
  const acceptedAtMs = Date.now() - HOUR_MS / 2;

  beforeEach(async () => {
    receiver = await startReceiver();
    rig = await startRig({ kind: 'campaign', scheduleMs: [10], logMaxBytes: 10_000_000 });
    await rig.startWorker();
    folder = await mkdtemp(path.join(tmpdir(), 'feeder-'));
    store = createFolderStore(folder);
    log = createEventLog({ store, key: 'key', retentionMs: HOUR_MS });
    destination = await rig.destination(uniqueName('account'), receiver.url, inShape('array'));
    const events = eventsOf('campaign', 0, EVENTS).map((event, n) => ({
      acceptedAtMs: acceptedAtMs + n,
      chunk: 'c1',
      n,
      destinations: [],
      ...fieldsOfEvent({ ...event, account: destination.account }),
    }));
    await log.close('0', { events, outcomes: [], gaps: [] });
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.close();
    await rig.close();
    await receiver.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  const replays = () => createReplays(rig.installation);
  const start = (replayPublisher: ReplayPublisher = createReplayPublisher(rig.installation)) => {
    const feeder = startFeeder({
      installation: rig.installation,
      open: {
        log,
        readRecent: createReadRecent(createEventLogBuffers(rig.installation)),
        buffers: [rig.log],
        retentionMs: HOUR_MS,
        close: () => Promise.resolve(),
      },
      replays: replays(),
      publisher: { isOverfull: () => false },
      replayPublisher,
      progress: createReplayProgress(rig.installation),
      destinations: () =>
        Promise.resolve([
          aShownDestination({ id: 'campaign', module: 'campaign', version: 2, shape: 'array', types: ['delivered'] }),
        ]),
      logger: createLogger({ level: 'silent', service: 'api', pretty: false }),
    });
    running.push(feeder);
    return feeder;
  };
  const delivered = () => idsIn(receiver.requests).length;

  it.each(['all', 'unmatched'] as const)(
    'dies between adding a page and storing its place (%s): each event is sent once',
    async (outcome) => {
      const span = {
        from: new Date(acceptedAtMs).toISOString(),
        to: new Date(acceptedAtMs + HOUR_MS / 4).toISOString(),
      };
      const id = await replays().start(destination.account, destination.id, { ...span, outcome });
      const real = createReplayPublisher(rig.installation);
      let pages = 0;
      const doomed = start({
        publish: async (page) => {
          if (pages > 0) throw new Error('it is dead');
          pages += 1;
          await real.publish(page);
          throw new Error('it dies');
        },
      });
      await eventually(() => delivered() > 0, { what: 'the first page' });
      await doomed.close();
      const first = delivered();
      await rig.untilEmpty(destination.id);
      const next = start();
      await eventually(async () => (await replays().read(id))?.state === 'done', {
        withinMs: 20_000,
        what: 'the end of the replay',
      });
      await next.close();
      const ids = idsIn(receiver.requests);
      expect([new Set(ids).size, ids.length]).toEqual([EVENTS, EVENTS]);
      expect(await replays().read(id)).toMatchObject({ events: EVENTS, sent: EVENTS, missed: 0 });
      expect(first).toBeGreaterThan(0);
    },
    60_000,
  );
});
