import fc from 'fast-check';
import { parseDurationMs, parseScheduleMs } from './schedule.ts';

describe('parseDurationMs', () => {
  it.each([
    ['0ms', 0],
    ['250ms', 250],
    ['5s', 5000],
    ['2m', 120_000],
    ['8h', 28_800_000],
    ['3d', 259_200_000],
    [' 1s ', 1000],
    ['999999999d', 999_999_999 * 86_400_000],
  ])('reads %j', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each(['', '5', 's', '5 s', '-5s', '1.5s', '5S', '5sec', '1h30m', '1e3s', '1000000000s', '5s,', 'Infinitys', '٥s'])(
    'does not read %j',
    (text) => {
      expect(parseDurationMs(text)).toBeUndefined();
    },
  );

  it('reads every whole number of every unit', () => {
    const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
    fc.assert(
      fc.property(
        fc.nat(999_999_999),
        fc.constantFrom('ms' as const, 's' as const, 'm' as const, 'h' as const, 'd' as const),
        (n, unit) => {
          expect(parseDurationMs(`${n}${unit}`)).toBe(n * units[unit]);
        },
      ),
    );
  });
});

describe('parseScheduleMs', () => {
  it('reads the default schedule', () => {
    expect(parseScheduleMs('5s,30s,2m,10m,30m,1h,2h,4h,8h,8h')).toEqual([
      5000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000, 28_800_000,
    ]);
  });

  it.each([
    ['100ms', [100]],
    ['1s, 2s', [1000, 2000]],
    ['0s', [0]],
  ])('reads %j', (text, waits) => {
    expect(parseScheduleMs(text)).toEqual(waits);
  });

  it.each(['', ',', '5s,', '5s,,6s', '5s;6s', '5s,six'])('does not read %j', (text) => {
    expect(parseScheduleMs(text)).toBeUndefined();
  });
});
