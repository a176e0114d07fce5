import { explainRepeats } from './explain-repeats.ts';
import type { FaultReport } from './fault-report.ts';
import { createRandom } from './random.ts';

describe('random choices about one thing', () => {
  const drawn = (name: string, before: number): number[] => {
    const random = createRandom(7);
    for (let i = 0; i < before; i += 1) random.next();
    const own = random.about(name);
    return [own.next(), own.next(), own.between(1, 1000)];
  };

  test('do not depend on the number of earlier choices', () => {
    expect(drawn('request 12', 500)).toEqual(drawn('request 12', 0));
  });

  test('differ from choices about another thing and from choices of another seed', () => {
    expect(drawn('request 13', 0)).not.toEqual(drawn('request 12', 0));
    expect(createRandom(8).about('request 12').next()).not.toBe(drawn('request 12', 0)[0]);
  });
});

describe('duplicates', () => {
  const customer = { account: 'a', token: '', subscription: 's', notificationPath: '/t0', campaignPath: '/c0' };
  const fault = (fromMs: number, eventsOf: Record<string, number>): FaultReport => ({
    fault: 'kill',
    kills: 1,
    inFlight: 1,
    fromMs,
    untilMs: fromMs + 100,
    eventsOf: new Map(Object.entries(eventsOf)),
  });
  const repeat = (path: string, beforeMs: number, againMs: number) => ({ key: 'k', path, beforeMs, againMs });

  test('are explained by a fault that met their destination, up to the number of events in flight', () => {
    const kill = fault(20_000, { s: 2, 'campaign-a': 1 });
    const repeats = [
      ...[19_990, 19_995, 20_010].map((beforeMs) => repeat('/t0', beforeMs, 22_000)),
      repeat('/c0', 20_050, 23_000),
    ];
    const { byFault, unexplained } = explainRepeats(repeats, [kill], [customer]);
    expect(byFault.get(kill)).toHaveLength(3);
    expect(unexplained).toEqual([{ ...repeats[2], near: ['kill, 0 ms away, met 2'] }]);
  });

  test('are not explained by a fault after the second arrival, long after the first, or elsewhere', () => {
    const kill = fault(50_000, { s: 9 });
    const repeats = [
      repeat('/t0', 49_000, 49_500),
      repeat('/t0', 10_000, 51_000),
      repeat('/t0', 70_000, 71_000),
      repeat('/c0', 50_000, 51_000),
    ];
    expect(explainRepeats(repeats, [kill], [customer]).unexplained).toMatchObject(repeats);
  });
});
