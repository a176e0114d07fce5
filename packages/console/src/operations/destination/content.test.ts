import { coded } from '@mailhook/core';
import type { DestinationView, RecentAttempts } from '@mailhook/core';
import { contextOf } from '../family.ts';
import { destinationContent } from './content.ts';

const VIEW: DestinationView = {
  id: 'a',
  kind: 'transactional',
  module: 'transactional_email',
  shape: 'single',
  account: 'acc_a',
  address: 'https://hooks.example.com/a',
  state: 'idle',
  health: 'degraded',
  isTried: true,
  waiting: 0,
  undelivered: 0,
  resends: 0,
  inFlight: 0,
  failures: 0,
  lastHour: { confirmed: 9, unconfirmed: 0, delivered: 9, failed: 3 },
  breaker: 'closed',
};

const attempts = (...statuses: readonly ('delivered' | 'failed')[]): RecentAttempts['attempts'] =>
  statuses.map((status, i) => ({
    id: `${i}`,
    time: `2026-01-05T10:0${9 - i}:00.000Z`,
    events: 1,
    attempt: 1,
    status,
    durationMs: 5,
  }));

test.each([
  [attempts('delivered', 'delivered', 'failed', 'delivered'), '10:08'],
  [attempts('delivered', 'delivered'), '10:08'],
  [attempts('failed', 'delivered'), undefined],
  [attempts(), undefined],
])('a degraded destination whose receiver is repaired says since when (%#)', (recent, since) => {
  const shown = String(
    destinationContent(VIEW, undefined, { attempts: recent, history: [], deadlineMs: 1 }, contextOf()),
  );
  const [notice = ''] = /<p class="notice.*?<\/p>/s.exec(shown) ?? [];
  expect(notice).toContain('25 % of attempts fail, in the last hour.');
  expect(/acknowledged since <time datetime="2026-01-05T(\d\d:\d\d)/.exec(notice)?.[1]).toBe(since);
});

test('a failing destination says what its customer must do, in its time, and leads to the runbook', () => {
  const view: DestinationView = { ...VIEW, state: 'parked', failures: 3, undelivered: 1, lastError: coded('no-reply') };
  const recent = { attempts: attempts('failed'), history: [], deadlineMs: 3000 };
  const shown = String(destinationContent(view, undefined, recent, contextOf()));
  expect(shown).toMatch(
    /3 failed attempts in a row, the last one at .*Answer within 3 s\..*press “Try one event now”/s,
  );
  expect(shown).toContain('<a href="/admin/runbook#mailhookdeliveriesfailing">Runbook</a>');
});

test('buttons keep their places while the state changes', () => {
  const recent = { attempts: [], history: [], deadlineMs: 3000 };
  const buttonsOf = (change: Partial<DestinationView>) => {
    const shown = String(destinationContent({ ...VIEW, ...change }, undefined, recent, contextOf()));
    const names = [...shown.matchAll(/name="do" value="([^"]+)"(\s+disabled)?/g)];
    return names.map(([, name = '', disabled]) => (disabled === undefined ? name : `(${name})`)).join(' ');
  };
  const stay = 'show-address open-as-customer pause drop';
  expect(buttonsOf({})).toBe(`(probe) (send-now) ${stay}`);
  expect(buttonsOf({ state: 'waiting', resends: 1 })).toBe(`(probe) send-now ${stay}`);
  expect(buttonsOf({ state: 'parked', resends: 1 })).toBe(`probe send-now ${stay}`);
});
