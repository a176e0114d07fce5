/**
 * An event of each type. Give each event an `id` that stays the same when you send it again: then Mailhook delivers it
 * once.
 */
export function sampleEvents(account) {
  const now = Math.floor(Date.now() / 1000);
  const mail = { account, module: 'transactional_email', messageId: 'm-2026-000123', time: now };
  const campaign = { account, module: 'campaign', campaign: 'aBcDeFgHiJ', email: 'anna@example.com', timestamp: now };
  const url = 'https://shop.example.com/sale';
  const events = [
    { ...mail, name: 'open', ip: '192.0.2.1' },
    { ...mail, name: 'click', ip: '192.0.2.1', userAgent: 'Mozilla/5.0', url },
    { ...mail, name: 'bounce', type: 'hard', reason: '550 5.1.1 no such user' },
    { ...campaign, event: 'open' },
    { ...campaign, event: 'click', url },
    { ...campaign, event: 'unsubscribe' },
  ];
  return events.map((event, number) => ({ ...event, id: `tracker-7-${now}-${number}` }));
}
