import { aCampaignEvent, aClick, anOpen } from '@mailhook/testing';
import { version1Route } from '@mailhook/core';
import { fanOutExcess, fittingCut, slices } from './fan-out.ts';

const destinations = (count: number) => Array.from({ length: count }, (_, i) => version1Route(`d${i}`));
const limit = { deliveries: 100, bytes: 10_000 };

describe('the size of a job', () => {
  it('counts an event once for each destination', () => {
    const events = (each: number) =>
      Array.from({ length: 10 }, () => ({ event: anOpen(), destinations: destinations(each) }));
    const roomy = { deliveries: 100, bytes: Number.MAX_SAFE_INTEGER };
    expect(fanOutExcess(events(10), roomy)).toBe(0);
    expect(fanOutExcess(events(11), roomy)).toBeCloseTo(1.1);
    expect(fanOutExcess([{ event: anOpen(), destinations: [] }], { deliveries: 0, bytes: 0 })).toBe(0);
  });

  it('counts bytes as they will be sent: escaped, and in UTF-8', () => {
    const click = (url: string) => [{ event: aClick({ url }), destinations: destinations(2) }];
    const bytes = (url: string) => fanOutExcess(click(url), { deliveries: 10, bytes: 1 });
    expect(bytes('x'.repeat(1000)) - bytes('x')).toBe(2 * 999);
    expect(bytes('é'.repeat(1000)) - bytes('é')).toBe(2 * 2 * 999);
    expect(bytes('\n'.repeat(1000)) - bytes('\n')).toBe(2 * 2 * 999);
    expect(bytes('\u0001'.repeat(1000)) - bytes('\u0001')).toBe(2 * 6 * 999);
    expect(fanOutExcess([{ event: aCampaignEvent(), destinations: ['c'].map(version1Route) }], limit)).toBe(0);
  });

  it('accepts 10,000 usual events for 20 subscriptions, but not for 50', () => {
    const events = (each: number) =>
      Array.from({ length: 10_000 }, () => ({ event: anOpen(), destinations: destinations(each) }));
    expect(fanOutExcess(events(20))).toBe(0);
    expect(fanOutExcess(events(50))).toBe(2.5);
  });

  it('finds a cut with which every part fits', () => {
    const events = Array.from({ length: 7 }, () => ({ event: anOpen(), destinations: destinations(40) }));
    const cut = fittingCut(events, { deliveries: 100, bytes: 1e9 });
    expect(cut).toBe(2);
    const parts = slices(events, cut);
    expect(parts.map((part) => part.length)).toEqual([2, 2, 2, 1]);
    expect(parts.flat()).toEqual(events);
    expect(fittingCut(events, { deliveries: 1, bytes: 1 })).toBe(1);
    expect(fittingCut([])).toBe(0);
  });
});
