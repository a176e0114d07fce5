import { HOUR_MS } from './limits.ts';
import { pick } from './pick.ts';
import type { Settle } from './settle.ts';
import type { Drain } from './workers.ts';
import type { World } from './world.ts';

/** How the receiver answers a batch. */
type Answer = 'delivered' | 'half' | 'resend' | 'again now' | 'dead' | 'gone';
export const ANSWERS: readonly Answer[] = [
  'delivered',
  'delivered',
  'half',
  'resend',
  'resend',
  'again now',
  'dead',
  'gone',
];

/** The receiver answers one batch of a drain. */
export function answerBatch(world: World, drain: Drain, at: number, how: Answer): void {
  const batch = pick([...drain.inFlight.values()], at);
  if (batch === undefined) return;
  drain.inFlight.delete(batch.id);
  const { id, attempt, events, version } = batch;
  const settle = (delivered: readonly string[], followUps: Settle['followUps'], judgesAddress = false): void => {
    drain.settles.push({ id, attempt, delivered, followUps, version, judgesAddress });
  };
  const failed = (): void => {
    const failures = world.model.s.breaker.failures + 1;
    const parkMs = failures >= 3 ? HOUR_MS : 0;
    drain.breaker = { failures, parkMs, parkedUntilMs: parkMs > 0 ? Date.now() + parkMs : 0, version };
  };
  if (how === 'delivered') {
    settle(events, []);
    drain.breaker = { failures: 0, parkMs: 0, parkedUntilMs: 0, version };
  } else if (how === 'half') {
    const cut = Math.ceil(events.length / 2);
    const rest = events.slice(cut);
    settle(
      events.slice(0, cut),
      rest.length === 0 ? [] : [{ type: 'resend', id: world.newId(), events: rest, waitMs: HOUR_MS }],
    );
  } else if (how === 'resend') {
    settle([], [{ type: 'resend', id, events, waitMs: HOUR_MS }]);
    failed();
  } else if (how === 'again now') {
    const cut = Math.ceil(events.length / 2);
    const parts = [events.slice(0, cut), events.slice(cut)].filter((part) => part.length > 0);
    settle(
      [],
      parts.map((part) => ({ type: 'send-now', id: world.newId(), events: part, waitMs: 0 })),
    );
  } else {
    settle([], [{ type: 'dead', id: world.newId(), events, waitMs: 0 }], how === 'gone');
  }
}
