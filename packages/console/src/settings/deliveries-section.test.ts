import { keptNote } from './deliveries-section.ts';

test('the log of deliveries says which attempts it omits', () => {
  expect(String(keptNote({ keptAttempts: 'the newest 2 attempts' }))).toContain(
    'Mailhook keeps the newest 2 attempts.',
  );
});
