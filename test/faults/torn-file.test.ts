import { readFileSync, truncateSync } from 'node:fs';
import { eventually, incrementalFile, startReceiver } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import { isOver } from './rig/engine-state.ts';
import { createCustomers, post } from './rig/load.ts';
import { startStack } from './rig/stack.ts';

const EVENTS = 400;
const PER_REQUEST = 20;
const WITHIN = { withinMs: 60_000 };

/**
 * Cuts the append-only file as a power loss may: inside the last settle, between the command that removes events from a
 * mailbox and the one that saves its state.
 */
function tearLastSettle({ dir }: TestRedis): void {
  const file = incrementalFile(dir);
  const text = readFileSync(file, 'latin1');
  const trims = [...text.matchAll(/LTRIM\r\n\$\d+\r\n[^\r]*:t:f:/g)];
  const next = text.indexOf('\r\n*', (trims.at(-1)?.index ?? Infinity) + 5);
  if (next < 0) throw new Error('the file has no settle with a further command');
  truncateSync(file, next + 9);
}

test('a power loss inside a settle, and a second restart while the backlog drains, lose no event', async () => {
  const arrived = new Map<string, number>();
  let isUp = false;
  const receiver = await startReceiver({
    keepsRequests: false,
    reply: ({ json }) => {
      if (!isUp) return { status: 503 };
      const { messageId } = json as { messageId: string };
      arrived.set(messageId, (arrived.get(messageId) ?? 0) + 1);
      return { delayMs: 100 };
    },
  });
  const stack = await startStack({
    workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
    env: { RETRY_SCHEDULE: Array.from({ length: 100 }, () => '500ms').join(','), BREAKER_FAILURES: '1000' },
  });
  try {
    const [customer] = await createCustomers(stack, receiver.url, 1);
    const event = { account: customer?.account, module: 'transactional_email', name: 'open', ip: '192.0.2.7' };
    const time = Math.floor(Date.now() / 1000);
    for (let from = 0; from < EVENTS; from += PER_REQUEST) {
      const events = Array.from({ length: PER_REQUEST }, (_, i) => ({ ...event, time, messageId: `<${from + i}@x>` }));
      expect(await post(stack, events)).toBe(202);
    }
    const state = stack.state['transactional-notifier'];
    await eventually(async () => (await state.notAppended()) === 0, { ...WITHIN, what: 'all events in the mailbox' });
    isUp = true;

    await eventually(() => arrived.size > EVENTS / 4, { ...WITHIN, what: 'a part of the events' });
    // The workers must not add anything behind the settle that is torn.
    stack.proxy.cut();
    await stack.redis.kill();
    tearLastSettle(stack.redis);
    await stack.redis.restart();
    const isRewritten = async (): Promise<boolean> =>
      /aof_rewrite_in_progress:0[^]*aof_rewrites:[1-9]/.test(await stack.client.info('persistence'));
    await eventually(isRewritten, { ...WITHIN, what: 'a rewrite of the file' });

    stack.proxy.restore();
    await eventually(() => arrived.size > EVENTS / 2, { ...WITHIN, what: 'half of the events' });
    await stack.redis.kill();
    await stack.redis.restart();
    await eventually(() => arrived.size === EVENTS, { ...WITHIN, what: 'all events' }).catch(() =>
      expect(arrived.size).toBe(EVENTS),
    );
    await eventually(async () => isOver(await state.remains()), { ...WITHIN, what: 'nothing left' });
  } finally {
    await stack.close();
    await receiver.close();
  }
}, 120_000);
