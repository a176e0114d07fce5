import type { DestinationStatus } from '@mailhook/core';
import { stateNotice } from './destination-state.ts';

const status = (resends: number): DestinationStatus => ({
  ...{ destination: 'd', kind: 'campaign', address: 'https://example.com/', state: 'failing', waiting: 2000, resends },
  ...{ failures: 3, oldestWaitingAt: '2026-11-25T10:00:00.000Z', nextAttemptAt: '2026-11-25T12:00:00.000Z' },
});
const textOf = (resends: number): string => String(stateNotice('d', status(resends))).replaceAll(/<[^>]+>/g, '');

test('figures that are read from a part of the resends are called estimates', () => {
  const [exact, estimated] = [textOf(100), textOf(101)];
  expect(exact).toContain('2,000 events wait');
  expect(exact).not.toMatch(/About|or earlier/);
  expect(estimated).toContain('About 2,000 events wait');
  expect(estimated.match(/ or earlier/g)).toHaveLength(2);
});
