import types from './types.json' with { type: 'json' };

/**
 * An event of each type, of a message and of a campaign. Give each event an `id` that stays the same when you send it
 * again: then Mailhook delivers it once.
 */
export function sampleEvents(account) {
  const now = Math.floor(Date.now() / 1000);
  const common = { account, email: 'anna@example.com', metadata: { order: '4711' }, tags: ['receipt'] };
  const events = types.flatMap(({ type, modules, fields }) =>
    modules.map((module) =>
      module === 'campaign'
        ? { ...common, module, event: type, campaign: 'aBcDeFgHiJ', timestamp: now, ...fields }
        : { ...common, module, name: type, messageId: 'm-2026-000123', time: now, ...fields },
    ),
  );
  return events.map((event, number) => ({ ...event, id: `tracker-7-${now}-${number}` }));
}
