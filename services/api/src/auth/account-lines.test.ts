import type { Request, Response } from 'express';
import { eventually } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import type { Services } from '../customer-api/services.ts';
import { customerEndpoints } from '../endpoints/customer/index.ts';
import { browserOf, PAGE } from '../settings-page-rig.suite.ts';
import { createAccountLines, LINE_MAX } from './account-lines.ts';

/** Works that end when the test says so. */
function rig() {
  const started: { readonly name: string; end(): void; fail(error: Error): void }[] = [];
  const charged: [account: string, cpuMs: number][] = [];
  const inLine = createAccountLines({ onDone: (...charge) => void charged.push(charge) });
  const work = (account: string, name: string): Promise<string> =>
    inLine(
      account,
      () =>
        new Promise((resolve, reject) => {
          started.push({ name, end: () => resolve(name), fail: reject });
        }),
    );
  const end = async (place: number) => {
    await eventually(() => started.length >= place, { what: `work ${place}` });
    started[place - 1]?.end();
  };
  return { started, charged, inLine, work, end };
}

const cpuMs = (): number => process.cpuUsage().user / 1000;

const keepBusy = (ms: number): Promise<void> => {
  const until = cpuMs() + ms;
  while (cpuMs() < until);
  return Promise.resolve();
};

describe('the line of an account', () => {
  it('runs its works one after the other, while other accounts do not wait', async () => {
    const { started, work, end } = rig();
    const works = [work('acc', 'first'), work('acc', 'second'), work('other', 'third')];
    await eventually(() => started.length === 2, { what: 'two works' });
    expect(started.map(({ name }) => name)).toEqual(['first', 'third']);
    await end(1);
    await end(2);
    await end(3);
    expect(await Promise.all(works)).toEqual(['first', 'second', 'third']);
  });

  it('goes on after a work that fails', async () => {
    const { started, work, end } = rig();
    const failing = work('acc', 'first');
    const next = work('acc', 'second');
    await eventually(() => started.length === 1, { what: 'the first work' });
    started[0]?.fail(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    await end(2);
    expect(await next).toBe('second');
  });

  it('is refused while too many works of the account wait', async () => {
    const { work, end } = rig();
    const works = Array.from({ length: LINE_MAX }, (_, i) => work('acc', `${i}`));
    expect(() => work('acc', 'more')).toThrow(expect.objectContaining({ code: 'rate_limited' }) as Error);
    const other = work('other', 'one');
    for (let place = 1; place <= LINE_MAX + 1; place += 1) await end(place);
    await Promise.all([...works, other]);
    const more = work('acc', 'more');
    await end(LINE_MAX + 2);
    expect(await more).toBe('more');
  });

  it('takes a quarter of the process, and reports the time that each work took', async () => {
    const { inLine, charged } = rig();
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: 4 }, () => inLine('acc', () => keepBusy(30))));
    // Three rests of three times 30 ms. A timer may be a millisecond early.
    expect(performance.now() - startedMs).toBeGreaterThan(3 * 85);
    expect(charged.map(([account, ms]) => [account, ms >= 30])).toEqual(Array(4).fill(['acc', true]));
  });

  it('does not rest after a work that only waited, because Redis did not answer', async () => {
    const { inLine, charged } = rig();
    await inLine('acc', () => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(charged[0]?.[1]).toBeLessThan(250);
  });
});

describe('pages and large reads', () => {
  let api: ApiRig;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  /** The order in which the replies come. */
  async function orderOf(calls: Readonly<Record<string, () => PromiseLike<{ readonly status: number }>>>) {
    const order: string[] = [];
    await Promise.all(
      Object.entries(calls).map(async ([name, call]) => {
        const { status } = await call();
        order.push(`${name} ${status}`);
      }),
    );
    return order;
  }

  it.each([PAGE, `${PAGE}/endpoints`, `${PAGE}/deliveries`, '/v3/webhook/destinations'])(
    '%s: 30 at the same time, and another account and a small read do not wait for them',
    async (path) => {
      const [mine, other] = [await api.newAccount(), await api.newAccount()];
      for (let i = 0; i < 10; i += 1) await api.subscribe(mine);
      const isPage = path.startsWith(PAGE);
      const [own, others] = [await browserOf(api, mine.token), await browserOf(api, other.token)];
      const read = (account: typeof mine, browser: typeof own) =>
        isPage ? browser.get(path) : api.as(account.token)('get', path);
      const order = await orderOf({
        ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`own-${i}`, () => read(mine, own)])),
        other: () => read(other, others),
        small: () => api.as(mine.token)('get', '/v3/webhook/campaign'),
      });
      const placeOf = (name: string): number => order.findIndex((one) => one.startsWith(name));
      expect(placeOf('other')).toBeLessThan(20);
      expect(placeOf('small')).toBeLessThan(20);
      expect(order.filter((one) => !one.endsWith(' 200'))).toEqual([]);
    },
    60_000,
  );

  it.each(customerEndpoints.filter(({ isLarge }) => isLarge === true).map((one) => [one.operationId, one] as const))(
    '%s waits in the line of its account',
    async (_name, endpoint) => {
      const lines: string[] = [];
      const inLine = (account: string): Promise<never> => {
        lines.push(account);
        return Promise.reject(new Error('the line'));
      };
      const response = { locals: { account: 'mine', token: 'one' }, status: () => undefined };
      const query = endpoint.operationId === 'findEvent' ? { hash: 'a'.repeat(20) } : {};
      const ask = { params: { id: 'a', entry: 'a' }, query, body: endpoint.body?.example };
      const services = { inLine } as unknown as Services;
      const run = endpoint.run(ask as unknown as Request, response as unknown as Response, services);
      await expect(run).rejects.toThrow('the line');
      expect(lines).toEqual(['mine']);
    },
  );
});
