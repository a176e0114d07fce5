import { coded } from './coded-text.ts';
import { settlement } from './follow-up.ts';
import type { Outcome } from './outcome.ts';
import type { SentBatch, SettlePolicy } from './sent-batch.ts';

/** The schedule has two waits, of 100 and 200 ms. */
const policy: SettlePolicy = {
  retry: { scheduleMs: [100, 200], jitter: 0 },
  partialAck: 'unconfirmed',
  poisonSplit: true,
};
export const ok: Outcome = {
  name: 'delivered',
  httpStatus: 200,
  error: undefined,
  unconfirmed: [],
  retryAfter: undefined,
};
export const failed = (more: Partial<Outcome> = {}): Outcome => ({
  ...ok,
  name: 'rejected',
  httpStatus: 500,
  error: coded('other', { text: 'no' }),
  unconfirmed: 'all',
  ...more,
});
export const refused = failed({ httpStatus: 400 });
export const confirmedAllBut = (...unconfirmed: number[]): Outcome => ({
  ...ok,
  error: coded('other', { text: 'some' }),
  unconfirmed,
});
export const list = (count: number) => Array.from({ length: count }, (_, i) => `e${i}`);
export const batch = (count: number, more: Partial<SentBatch> = {}): SentBatch => ({
  fragments: list(count).join('\n'),
  events: count,
  step: 0,
  search: '',
  ...more,
});
export const after = (sent: SentBatch, outcome: Outcome, own: Partial<SettlePolicy> = {}, random = 0.5) =>
  settlement(sent, outcome, { ...policy, ...own }, random, 0);
