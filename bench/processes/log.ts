import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Installation } from '@mailhook/delivery';
import { createEventLogBuffers } from '@mailhook/delivery';
import { createEventLog, createFolderStore } from '@mailhook/event-log';
import { createLogger } from '@mailhook/platform/logger';
import { loadModules } from './private-modules.ts';

/** Workers read with every heartbeat whether the log is on. */
const KNOWN_WITHIN_MS = 1500;
const SPOOL_BYTES = 64_000_000;

/** The event log of an api, in this process. */
export interface BenchLog {
  bufferedBytes(): Promise<number>;
  close(): Promise<void>;
}

export async function openLog(installation: Installation): Promise<BenchLog> {
  const { startCloser } = await loadModules<{ startCloser: (deps: object) => { close(): Promise<void> } }>();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-log-'));
  const store = createFolderStore(folder);
  const log = createEventLog({ store, key: 'bench', retentionMs: 86_400_000 });
  const buffers = createEventLogBuffers(installation);
  await buffers.switchOn(SPOOL_BYTES);
  const { redis, prefix } = installation;
  const logger = createLogger({ level: 'error', service: 'bench-log' });
  const observe = { closed: () => undefined, failed: () => undefined };
  const closer = startCloser({ shards: buffers.shards, log, maxBytes: SPOOL_BYTES, redis, prefix, logger, observe });
  return {
    async bufferedBytes() {
      const states = await Promise.all(buffers.shards.map((commands) => commands.readState()));
      return states.reduce((sum, { bytes }) => sum + bytes, 0);
    },
    async close() {
      await closer.close();
      await store.close();
      await buffers.switchOff();
      await setTimeout(KNOWN_WITHIN_MS);
      await rm(folder, { recursive: true });
    },
  };
}
