import { createMetrics } from '../metrics/index.ts';
import type { BodyReservation, BodySender } from './body-budget.ts';
import { createBodyBudget, usableMemoryBytes } from './body-budget.ts';

const MIB = 1024 * 1024;

describe('the budget of body bytes', () => {
  const start = () => {
    const metrics = createMetrics();
    const budget = createBodyBudget({ maxBytes: 16 * MIB, metrics });
    const valueOf = async (line: string): Promise<number> =>
      Number((await metrics.registry.metrics()).split(`\n${line} `)[1]?.split('\n', 1)[0]);
    return { ...budget, valueOf };
  };
  /** Reserves parts until one is refused, and returns the sum of the others. */
  const fill = (reservation: BodyReservation, partBytes: number): number => {
    let bytes = 0;
    while (reservation.take(partBytes)) bytes += partBytes;
    return bytes;
  };

  it.each<[BodySender, number, number]>([
    ['anonymous', 0.25, 1],
    ['account', 1, 4],
    ['operator', 1, 1],
  ])('limits each %s, and all senders of this kind together', (sender, eachMib, allMib) => {
    const { open } = start();
    expect(open(sender, 'first').maxBytes).toBe(eachMib * MIB);
    expect(fill(open(sender, 'first'), 1024)).toBe(eachMib * MIB);
    expect(fill(open(sender, 'first'), 1024)).toBe(0);
    let all = eachMib * MIB;
    for (let i = 0; i < 10; i += 1) all += fill(open(sender, `other-${i}`), 1024);
    expect(all).toBe(allMib * MIB);
  });

  it('keeps room for small bodies of producers beside large ones', () => {
    const { open } = start();
    const large = open('producer');
    expect(large.maxBytes).toBe(8 * MIB);
    expect(fill(large, 64 * 1024)).toBe(8 * MIB + 64 * 1024);
    // Another large body gets only the share of a small one. Small bodies still fit.
    expect(fill(open('producer'), 32 * 1024)).toBe(64 * 1024);
    expect(open('producer').take(64 * 1024)).toBe(true);
    expect(open('producer').take(64 * 1024 + 1)).toBe(false);
  });

  it('protects the share of each kind of sender from all other kinds', () => {
    const { open } = start();
    const flood = (sender: BodySender) => {
      for (let i = 0; i < 200; i += 1) fill(open(sender, `${i}`), 16 * 1024);
    };
    for (const sender of ['anonymous', 'account', 'producer'] as const) flood(sender);
    expect(open('operator').take(MIB)).toBe(true);
    expect(open('producer').take(1)).toBe(false);
  });

  it('releases bytes only once', () => {
    const { open } = start();
    const reservation = open('account', 'a');
    fill(reservation, 1000);
    expect(open('account', 'a').take(1000)).toBe(false);
    reservation.release();
    reservation.release();
    expect(fill(open('account', 'a'), 1024)).toBe(MIB);
  });

  it('counts all requests of a sender in one share, in each order of their starts and ends', () => {
    const { open } = start();
    const [first, second] = [open('account', 'a'), open('account', 'a')];
    first.take(1000);
    first.release();
    fill(second, 1024);
    expect(open('account', 'a').take(1024)).toBe(false);
  });

  it('reserves nothing for a refused part or after the release', () => {
    const { open } = start();
    const first = open('account', 'a');
    expect(first.take(2 * MIB)).toBe(false);
    expect(first.take(MIB)).toBe(true);
    first.release();
    expect(first.take(MIB)).toBe(true);
    expect(open('account', 'a').take(MIB)).toBe(true);
  });

  it('updates the metrics', async () => {
    const { open, valueOf } = start();
    const reservation = open('producer');
    reservation.take(100_000);
    expect(await valueOf('mailhook_body_bytes_in_flight')).toBe(100_000);
    expect(await valueOf('mailhook_body_bytes_in_flight_max')).toBe(16 * MIB);
    reservation.noteRefusal('full');
    reservation.release();
    expect(await valueOf('mailhook_body_bytes_in_flight')).toBe(0);
    expect(await valueOf('mailhook_bodies_refused_total{sender="producer",reason="full"}')).toBe(1);
    expect(await valueOf('mailhook_bodies_refused_total{sender="account",reason="slow"}')).toBe(0);
  });
});

test('the usable memory is a plausible number of bytes', () => {
  const bytes = usableMemoryBytes();
  expect(bytes).toBeGreaterThan(32 * MIB);
  expect(bytes).toBeLessThan(2 ** 50);
});
