import { eventually } from '@mailhook/testing';
import { PATIENCE_MS } from './fault-report.ts';
import type { Stack } from './stack.ts';

/** Makes everything durable that Redis has executed. */
export async function rewriteFile(stack: Pick<Stack, 'client'>): Promise<void> {
  const before = await untilRewritten(stack);
  await stack.client.call('BGREWRITEAOF');
  await untilRewritten(stack, before);
}

/**
 * Resolves when Redis has rewritten its append-only file more often than `after` since its start, and rewrites it no
 * more. Resolves with how often. The services ask for the first time.
 */
export const untilRewritten = ({ client }: Pick<Stack, 'client'>, after = 0): Promise<number> =>
  eventually(
    async () => {
      const info = await client.info('persistence');
      const rewrites = Number(/aof_rewrites:(\d+)/.exec(info)?.[1]);
      return info.includes('aof_rewrite_in_progress:0') && rewrites > after && rewrites;
    },
    { withinMs: 2 * PATIENCE_MS, what: 'a rewrite of the append-only file' },
  );
