import { ALERT_ADDRESSES_MAX, ALERT_KINDS, ALERT_WEBHOOKS_MAX, alertAddressInput } from '../contracts/alert.ts';
import {
  addAlertAddress,
  addAlertWebhook,
  chooseAlerts,
  confirmAlertAddress,
  mailboxOf,
  removeAlertAddress,
  removeAlertWebhook,
  wantsAlert,
} from './alert-addresses.ts';
import { newAccount, StoreConflictError } from './stored-account.ts';
import type { StoredAccount, StoredAlertAddress } from './stored-account.ts';

const NOW = '2026-11-23T10:00:00.000Z';
const ALL = { kinds: [...ALERT_KINDS], muted: [] };
const account = newAccount({ id: 'acc', name: 'Acme', createdAt: NOW });

function after(
  rules: readonly ((to: StoredAccount) => StoredAccount | StoreConflictError | undefined)[],
  start = account,
): StoredAccount {
  return rules.reduce((to, rule) => rule(to) as StoredAccount, start);
}

test('an alert address is listed once, and confirmed and removed by its id', () => {
  const address = (id: string, email = `${id}@example.com`) =>
    ({
      id,
      email,
      language: 'en',
      confirmed: false,
      token: `token of ${id}`,
      createdAt: NOW,
      ...ALL,
    }) satisfies StoredAlertAddress;
  const one = after([(to) => addAlertAddress(to, address('a')), (to) => addAlertAddress(to, address('b'))]);
  expect(addAlertAddress(one, address('c', 'A@Example.com'))).toBeInstanceOf(StoreConflictError);
  const confirmed = after([(to) => confirmAlertAddress(to, 'a')], one);
  expect(confirmed.alertAddresses).toEqual([{ ...address('a'), confirmed: true }, address('b')]);
  expect(confirmAlertAddress(confirmed, 'a')).toBe(confirmed);
  expect(confirmAlertAddress(confirmed, 'c')).toBeUndefined();
  expect(removeAlertAddress(confirmed, 'a')?.alertAddresses).toEqual([address('b')]);
  expect(removeAlertAddress(confirmed, 'c')).toBeUndefined();
  const full = after(
    Array.from({ length: ALERT_ADDRESSES_MAX - 2 }, (_, i) => (to) => addAlertAddress(to, address(`more-${i}`))),
    one,
  );
  expect(addAlertAddress(full, address('c'))).toBeInstanceOf(StoreConflictError);
});

test('an alert address is one plain address', () => {
  expect(alertAddressInput.parse({ email: ' ops@example.com ' })).toEqual({ email: 'ops@example.com' });
  for (const email of ['', 'ops', 'a@b.example, c@d.example', 'a@b.example\nBcc: c@d.example', '<a@b.example>'])
    expect(alertAddressInput.safeParse({ email }).success).toBe(false);
});

test.each([
  ['Ops@Example.com', 'ops@example.com'],
  ['ops+a+b@example.com', 'ops@example.com'],
  ['+@example.com', '+@example.com'],
  ['+a@example.com', '+a@example.com'],
])('the mailbox of %s is %s', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
});

test.each([
  ['ops@Müller.example', 'ops@xn--mller-kva.example'],
  [' ops@例え.テスト ', 'ops@xn--r8jz45g.xn--zckzah'],
  ['Ops@Example.com', 'Ops@Example.com'],
])('%s is stored as %s', (email, stored) => {
  expect(alertAddressInput.parse({ email }).email).toBe(stored);
});

test.each([
  'ops@müller.example:25',
  'ops@müller.example/a',
  'a@b@müller.example',
  'ops@mü ller.example',
  'müller.example',
])('%s is no e-mail address', (email) => {
  expect(alertAddressInput.safeParse({ email }).success).toBe(false);
});

test('a webhook for alerts is listed once, has its own choice, and is removed by its id', () => {
  const webhook = (id: string) => ({
    id,
    address: `https://chat.example.com/${id}`,
    language: 'en' as const,
    createdAt: NOW,
    ...ALL,
  });
  const one = after([(to) => addAlertWebhook(to, webhook('a')), (to) => addAlertWebhook(to, webhook('b'))]);
  expect(addAlertWebhook(one, { ...webhook('a'), id: 'c' })).toBeInstanceOf(StoreConflictError);
  const choice = { kinds: ['failing' as const], muted: ['campaign'] };
  const chosen = chooseAlerts(one, 'a', choice);
  expect(chosen?.alertWebhooks).toEqual([{ ...webhook('a'), ...choice }, webhook('b')]);
  expect(chooseAlerts(one, 'x', choice)).toBeUndefined();
  expect(wantsAlert(choice, 'failing', 'sub')).toBe(true);
  expect([wantsAlert(choice, 'failing', 'campaign'), wantsAlert(choice, 'recovered', 'sub')]).toEqual([false, false]);
  expect(removeAlertWebhook(one, 'a')?.alertWebhooks).toEqual([webhook('b')]);
  expect(removeAlertWebhook(one, 'x')).toBeUndefined();
  const many = Array.from({ length: ALERT_WEBHOOKS_MAX }, (_, i) => webhook(`w${i}`));
  expect(addAlertWebhook({ ...account, alertWebhooks: many }, webhook('z'))).toBeInstanceOf(StoreConflictError);
});
