import { deliveriesSection } from './deliveries-section.ts';
import { questionOf } from './view.ts';

test('the log of deliveries says which attempts it omits', () => {
  const section = deliveriesSection({
    accountName: 'Acme',
    nowMs: 0,
    question: questionOf({}),
    event: undefined,
    attempt: undefined,
    letter: undefined,
    campaign: { value: { address: null, active: false } },
    subscriptions: { value: [] },
    statuses: { value: new Map() },
    history: { value: new Map() },
    unrouted: {},
    deliveries: { value: { items: [] } },
    keptAttempts: 'the newest 2 attempts',
    deadLetters: { value: { items: [], total: 0 } },
    secrets: { value: [] },
    ownSecrets: { value: new Map() },
    settings: new Map(),
    signing: undefined,
  });
  expect(section.toString()).toContain('Mailhook keeps the newest 2 attempts.');
});
