import { accountIdInput } from './account.ts';
import { OPERATIONS_ACCOUNT, operationsMessage } from './operations-message.ts';

const TIME = '2026-11-23T06:05:19.000Z';
const COMMON = { id: 'ops_1', time: TIME, account: 'acme', reason: 'why', portalPath: '/settings/webhooks' };
const DESTINATION = {
  destination: 'campaign',
  kind: 'campaign',
  module: 'campaign',
  shape: 'batch',
  address: 'https://example.com/',
};
const PERIOD = { from: TIME, to: TIME, deadLetters: 2, events: 3 };

describe('a message to the platform', () => {
  it.each([
    { ...COMMON, ...DESTINATION, type: 'destination.failing', failingSince: TIME, failures: 5, waiting: 0 },
    { ...COMMON, ...DESTINATION, type: 'destination.recovered', failingSince: TIME, waiting: 0 },
    { ...COMMON, ...DESTINATION, type: 'destination.deactivated' },
    { ...COMMON, ...PERIOD, type: 'dead_letters.added' },
    { ...COMMON, ...PERIOD, type: 'dead_letters.added', destination: 'campaign' },
    { ...COMMON, type: 'account.limit_reached', events: 1, eventsMax: 1, bytes: 1, bytesMax: 1 },
  ])('can be %j', (message) => {
    expect(operationsMessage.parse(message)).toEqual(message);
  });

  it.each([
    { ...COMMON, ...DESTINATION, type: 'destination.failed' },
    { ...COMMON, ...DESTINATION, type: 'destination.deactivated', waiting: 1 },
    { ...COMMON, ...PERIOD, type: 'dead_letters.added', events: -1 },
  ])('cannot be %j', (message) => {
    expect(operationsMessage.safeParse(message).success).toBe(false);
  });

  it('belongs to an account with an id that no customer can have', () => {
    expect(accountIdInput.safeParse(OPERATIONS_ACCOUNT).success).toBe(false);
  });
});
