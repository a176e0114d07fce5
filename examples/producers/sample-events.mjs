/**
 * An event of each type, of a message and of a campaign. Give each event an `id` that stays the same when you send it
 * again: then Mailhook delivers it once.
 */
export function sampleEvents(account) {
  const now = Math.floor(Date.now() / 1000);
  const common = { account, email: 'anna@example.com', metadata: { order: '4711' }, tags: ['receipt'] };
  const mail = { ...common, module: 'transactional_email', messageId: 'm-2026-000123', time: now };
  const campaign = { ...common, module: 'campaign', campaign: 'aBcDeFgHiJ', timestamp: now };
  const tracked = { ip: '192.0.2.1', userAgent: 'Mozilla/5.0', machine: false, first: true };
  const types = {
    sent: {},
    delivered: { code: '2.0.0', smtp: 250, reason: '250 2.0.0 OK' },
    deferred: {
      reason: '451 4.7.1 try again later',
      code: '4.7.1',
      smtp: 451,
      cause: 'policy',
      nextTry: now + 600,
    },
    rejected: { reason: 'the address is on the suppression list', cause: 'suppressed' },
    open: tracked,
    click: { ...tracked, url: 'https://shop.example.com/sale' },
    bounce: { type: 'hard', reason: '550 5.1.1 no such user', code: '5.1.1', smtp: 550, cause: 'invalid' },
    complaint: { feedbackType: 'abuse' },
    unsubscribe: { method: 'one-click', list: 'newsletter' },
    subscribe: { list: 'newsletter' },
    suppression: { action: 'added', cause: 'complaint' },
    custom: { label: 'survey.answered', data: { score: 9 } },
  };
  const events = Object.entries(types).flatMap(([type, own]) => [
    { ...mail, name: type, ...own },
    // Only transactional messages have this type.
    ...(type === 'suppression' ? [] : [{ ...campaign, event: type, ...own }]),
  ]);
  return events.map((event, number) => ({ ...event, id: `tracker-7-${now}-${number}` }));
}
