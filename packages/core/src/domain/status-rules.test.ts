import { notificationOutcome } from './outcome.ts';
import { isAddressAtFault, isRefusal, isSuspect } from './refusal.ts';
import { nextStep } from './retry.ts';
import { ENDING_STATUSES, statusesThat, statusRule } from './status-rules.ts';

const outcomeOf = (status: number) =>
  notificationOutcome({ type: 'reply', status, statusText: '', retryAfter: '30', body: undefined });
const failures = Array.from({ length: 300 }, (_, i) => 300 + i);

test('a status without a rule, and no reply, have an empty one', () => {
  expect([statusRule(418), statusRule(undefined)]).toEqual([{}, {}]);
});

test('only the statuses of the table end deliveries or refuse the content, every other waits for Retry-After', () => {
  const policy = { scheduleMs: [1000, 60_000], jitter: 0 };
  const found = {
    ends: failures.filter((status) => isAddressAtFault(outcomeOf(status))),
    dead: failures.filter((status) => nextStep(outcomeOf(status), 0, policy, 0, 0).type === 'dead'),
    refuses: failures.filter((status) => isRefusal(outcomeOf(status))),
    mayRefuse: failures.filter((status) => isSuspect(outcomeOf(status))),
    waits: failures.filter((status) => {
      const next = nextStep(outcomeOf(status), 0, policy, 0, 0);
      return next.type === 'resend' && next.waitMs === 30_000;
    }),
  };
  const waits = failures.filter((status) => status >= 400 && status !== 410);
  expect(found).toEqual({ ends: [410], dead: [410], refuses: [400, 413, 422], mayRefuse: [500], waits });
  expect([ENDING_STATUSES, statusesThat('isTooLarge')]).toEqual(['410', ['413']]);
});
