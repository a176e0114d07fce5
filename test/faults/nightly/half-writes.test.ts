import { cannotFailWrites, eventually, unlessImpossible } from '@mailhook/testing';
import { PATIENCE_MS } from '../rig/fault-report.ts';
import { startRunUnderLoad } from '../rig/run-under-load.ts';
import type { RunUnderLoad } from '../rig/run-under-load.ts';

const TIMES = 8;

unlessImpossible(describe, cannotFailWrites())('the disk of Redis fails in the middle of a write, under load', () => {
  let run: RunUnderLoad;
  afterEach(() => run.close(), 90_000);

  const isRunning = (): boolean => {
    try {
      return process.kill(run.stack.redis.pid, 0);
    } catch {
      return false;
    }
  };
  const infoHas = async (line: string): Promise<boolean> =>
    (await run.stack.client.info('persistence')).includes(`${line}\r\n`);
  const restart = async (): Promise<void> => {
    await run.stack.redis.kill();
    await run.stack.redis.restart();
  };

  test('appendfsync always: Redis ends with half a write, starts, rewrites, and starts once more', async () => {
    run = await startRunUnderLoad('half', { appendfsync: 'always', canFailWrites: true });
    for (let time = 1; time <= TIMES; time += 1) {
      await run.moreOf('delivered', 100);
      run.stack.redis.failWrites(run.random.between(5, 95));
      await eventually(() => !isRunning(), { withinMs: PATIENCE_MS, what: 'the end of Redis' });
      run.stack.redis.failWrites(0);
      await run.stack.redis.restart();
      await run.moreOf('delivered', 50);
      const isRewritten = async () =>
        (await infoHas('aof_rewrite_in_progress:0')) && !(await infoHas('aof_rewrites:0'));
      await eventually(isRewritten, { withinMs: 2 * PATIENCE_MS, what: 'a rewrite of the append-only file' });
      await restart();
    }
    await run.everythingArrives();
    run.report(`half a write, always, ${TIMES} times`);
    expect(run.ledger.missing()).toEqual([]);
    expect(run.ledger.renamed).toEqual([]);
  }, 300_000);

  test('appendfsync everysec: Redis goes on when the disk works again, and a start finds all', async () => {
    run = await startRunUnderLoad('half', { appendfsync: 'everysec', canFailWrites: true });
    for (let time = 1; time <= TIMES; time += 1) {
      await run.moreOf('delivered', 100);
      const { refused } = run.load;
      run.stack.redis.failWrites(run.random.between(5, 95));
      await eventually(() => run.load.refused > refused + 5, { withinMs: PATIENCE_MS, what: 'refusals' });
      run.stack.redis.failWrites(0);
      await run.moreOf('accepted', 100);
    }
    await eventually(() => infoHas('aof_last_write_status:ok'), { withinMs: PATIENCE_MS, what: 'a written file' });
    await restart();
    await run.everythingArrives();
    run.report(`half a write, everysec, ${TIMES} times`);
    expect(run.ledger.missing()).toEqual([]);
    expect(run.ledger.renamed).toEqual([]);
  }, 300_000);
});
