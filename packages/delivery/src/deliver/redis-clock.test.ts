import { scriptsRig } from '../mailbox/mailbox-rig.suite.ts';
import { RedisClock } from './redis-clock.ts';

const DAYS_MS = 4 * 86_400_000;
const TOLERANCE_MS = 30_000;

describe("the scripts' time", () => {
  const rig = scriptsRig('campaign');
  const clockKey = (): string => `${rig.base.replace(/[ct]:$/, '')}clock`;
  const read = async () => (await rig.commands.heartbeat('w', 2500, 500, true)).clock;
  const openClock = () => {
    const steps: number[] = [];
    const clock = new RedisClock({ commands: rig.commands, onStep: (stepMs) => steps.push(stepMs) });
    return {
      steps,
      heartbeat: async () => {
        const askedAtMs = performance.now();
        await clock.take(await read(), askedAtMs);
      },
    };
  };
  /** Simulates a step. The clock of Redis stays, and the stored times move in the other direction. */
  const pretendStep = async (stepMs: number): Promise<void> => {
    const [atMs = 0, shiftMs = 0] = ((await rig.redis.get(clockKey())) ?? '').split(' ').map(Number);
    await rig.redis.set(clockKey(), `${atMs - stepMs} ${shiftMs + stepMs}`);
  };
  const aheadMs = async (): Promise<number> => Math.abs((await rig.commands.nowMs()) - Date.now());

  afterEach(async () => {
    await rig.redis.del(clockKey());
  });

  it.each([DAYS_MS, -DAYS_MS])(
    'stays steady when the clock of Redis steps by %i ms, before and after a heartbeat',
    async (stepMs) => {
      const { heartbeat, steps } = openClock();
      await heartbeat();
      await pretendStep(stepMs);
      expect(await aheadMs()).toBeLessThan(TOLERANCE_MS);
      await heartbeat();
      await heartbeat();
      expect(steps).toHaveLength(1);
      expect(Math.abs((steps[0] ?? 0) - stepMs)).toBeLessThan(TOLERANCE_MS);
      expect(await aheadMs()).toBeLessThan(TOLERANCE_MS);
      expect((await read()).isSteady).toBe(true);
    },
  );

  it('stands still while no worker runs, until the third heartbeat of a new worker counts the gap as time passed', async () => {
    await openClock().heartbeat();
    await rig.redis.set(clockKey(), `${Date.now() - DAYS_MS} 0`);
    const { heartbeat, steps } = openClock();
    for (let i = 0; i < 2; i += 1) await heartbeat();
    expect(await aheadMs()).toBeGreaterThan(DAYS_MS - TOLERANCE_MS);
    await heartbeat();
    expect(await aheadMs()).toBeLessThan(TOLERANCE_MS);
    expect(steps).toEqual([]);
  });

  it('is set by only one of several workers that see the same gap', async () => {
    const [one, other] = [openClock(), openClock()];
    await one.heartbeat();
    await other.heartbeat();
    await pretendStep(DAYS_MS);
    await Promise.all([one.heartbeat(), other.heartbeat()]);
    expect([...one.steps, ...other.steps]).toHaveLength(1);
    expect(await aheadMs()).toBeLessThan(TOLERANCE_MS);
  });

  it('approaches the clock of Redis again', async () => {
    await rig.redis.set(clockKey(), `${Date.now() - 1000} 50`);
    await read();
    expect(await rig.redis.get(clockKey())).toMatch(/ 0$/);
  });
});
