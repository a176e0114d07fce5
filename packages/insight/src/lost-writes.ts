import type { InstallationReport } from '@mailhook/core';
import type { Installation } from '@mailhook/delivery';
import { readLostWrites } from '@mailhook/delivery/mailbox';

/** From the first to the last time of the writes that any mechanism and shard has lost, as found in a day. */
export async function readLostWritesReport(installation: Installation): Promise<InstallationReport['lostWrites']> {
  const found = await Promise.all(installation.allKeys().map((keys) => readLostWrites(installation.redis, keys)));
  const spans = found.filter((one) => one !== undefined);
  if (spans.length === 0) return null;
  const fromMs = Math.min(...spans.map((span) => span.fromMs));
  const toMs = Math.max(...spans.map((span) => span.toMs));
  return { from: fromMs === 0 ? null : new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}
