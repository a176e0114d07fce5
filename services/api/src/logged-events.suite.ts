import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEventLog, createFolderStore } from '@mailhook/event-log';
import type { LogContent } from '@mailhook/event-log';
import { startApi } from './api-rig.suite.ts';
import type { ApiRig } from './api-rig.suite.ts';

const RETENTION_MS = 86_400_000;

/** An api with the event log on, in a folder. No workers run, so a test writes the segments that it wants. */
export async function startLoggingApi(): Promise<{
  readonly api: ApiRig;
  readonly folder: string;
  readonly write: (content: Partial<LogContent>) => Promise<void>;
  readonly close: () => Promise<void>;
}> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mailhook-log-'));
  const api = await startApi({ EVENT_LOG: folder, EVENT_LOG_RETENTION: `${RETENTION_MS / 3_600_000}h` });
  const store = createFolderStore(folder);
  const key = (await store.get('key')).toString();
  const log = createEventLog({ store, key, retentionMs: RETENTION_MS });
  return {
    api,
    folder,
    write: (content) => log.close('0', { events: [], outcomes: [], gaps: [], ...content }),
    close: async () => {
      await api.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
