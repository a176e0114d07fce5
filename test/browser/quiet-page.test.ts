import { useScene } from './rig/suite.ts';

const IN_USE_EVERY_MS = 5000;
const A_MINUTE_MS = 60_000;

describe('an open page', () => {
  const scene = useScene();

  test('asks for updates less often when nobody uses it, and immediately when somebody does', async () => {
    const { page, go } = scene();
    await page.clock.install();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/news')) asked += 1;
    });
    const isAnswered = () => page.waitForResponse((response) => response.url().includes('/news'));
    await go('/deliveries');
    /** Time stands still while an answer is on its way. */
    const pass = async (ms: number, stepMs: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += stepMs) {
        const before = asked;
        await page.clock.runFor(stepMs);
        if (asked > before) await page.waitForLoadState('networkidle');
      }
    };
    asked = 0;
    await pass(A_MINUTE_MS, IN_USE_EVERY_MS);
    // A slow machine sends some requests a step later than they were due.
    const inUse = asked;
    await pass(2 * A_MINUTE_MS, IN_USE_EVERY_MS);
    asked = 0;
    await pass(A_MINUTE_MS, IN_USE_EVERY_MS);
    expect(asked).toBeLessThanOrEqual(3);
    expect(inUse).toBeGreaterThan(asked);
    const answered = isAnswered();
    await page.mouse.move(10, 10);
    expect((await answered).status()).toBeLessThan(400);
  });
});
