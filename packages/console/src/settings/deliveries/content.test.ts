import { html } from '../../html/markup.ts';
import { keptText } from './content.ts';

test('the log of deliveries says which attempts it omits', () => {
  const numbers = { attempts: 2, megabytes: 5, days: 7, perSecond: 200, perSecondOfAll: 1000 };
  const kept = { ...numbers, waiting: 0, resends: 0, deadLetters: 0 };
  expect(String(html`${keptText({ kept })}`)).toBe(
    'Mailhook keeps the newest 2 delivered attempts and as many others, for 7 days: of the others at most 5 MB, ' +
      'of delivered ones as many as their log has room for, and only a sample while a worker makes more than 200 ' +
      'a second, or over 1,000 for all accounts.',
  );
});
