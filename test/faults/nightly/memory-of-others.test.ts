import { anOpen, eventually } from '@mailhook/testing';
import { startRunUnderLoad } from '../rig/run-under-load.ts';
import type { RunUnderLoad } from '../rig/run-under-load.ts';

const MEGABYTE = 1024 * 1024;

describe('keys of somebody else fill the memory of Redis, under load of both mechanisms', () => {
  let run: RunUnderLoad;
  beforeAll(async () => {
    run = await startRunUnderLoad('memory', { redisArgs: ['--maxmemory', '64mb'] });
  }, 120_000);
  afterAll(() => run.close(), 90_000);

  const postOne = async () => {
    const reply = await fetch(`${run.stack.baseUrl}/v3/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.stack.producerToken}`, 'content-type': 'application/json' },
      body: JSON.stringify([anOpen({ account: run.customers[0]?.account ?? '' })]),
    });
    const { detail = '' } = (await reply.json()) as { detail?: string };
    return { status: reply.status, detail, retryAfter: reply.headers.get('retry-after') };
  };
  /** Until Redis itself refuses a key of a byte. Resolves with the keys. */
  const fill = async (): Promise<string[]> => {
    const { client } = run.stack;
    const keys: string[] = [];
    for (const size of [MEGABYTE, 1024, 1])
      for (let isFull = false; !isFull;) {
        const key = `somebody-else:${keys.length}`;
        isFull = await client.set(key, 'x'.repeat(size)).then(
          () => false,
          (error: unknown) => String(error).includes('OOM'),
        );
        if (!isFull) keys.push(key);
      }
    return keys;
  };

  test('intake refuses with the reason, deliveries go on, and all arrives when there is memory again', async () => {
    await run.moreOf('delivered', 300);
    const keys = await fill();
    const refusal = await eventually(
      async () => {
        const reply = await postOne();
        return reply.status !== 202 && reply;
      },
      { withinMs: 15_000, what: 'a refusal' },
    );
    expect({ ...refusal, retryAfter: Number(refusal.retryAfter) > 0 }).toMatchObject({ status: 503, retryAfter: true });
    expect(refusal.detail).toContain('memory');
    const { refused } = run.load;
    // Long enough for leases to end, if heartbeats failed.
    await eventually(() => run.load.refused > refused + 150, { withinMs: 60_000, what: 'refusals for seconds' });
    const { outstanding } = run.ledger;
    await run.stack.client.unlink(...keys);
    await eventually(async () => (await postOne()).status === 202, { withinMs: 30_000, what: 'a 202' });
    await run.moreOf('delivered', 300);
    await run.everythingArrives();
    run.report(`memory full by other keys (${outstanding} undelivered when there was memory again)`);
    expect(run.ledger.missing()).toEqual([]);
    expect(run.ledger.renamed).toEqual([]);
    expect(run.lostWrites).toEqual([]);
  }, 240_000);
});
