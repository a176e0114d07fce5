import { ALERT_ADDRESSES_MAX, ALERT_WEBHOOKS_MAX } from '../contracts/alert.ts';
import type { AlertChoice, AlertKind } from '../contracts/alert.ts';
import { coded } from './coded-text.ts';
import { StoreConflictError } from './stored-account.ts';
import type { StoredAccount, StoredAlertAddress, StoredAlertWebhook } from './stored-account.ts';

/**
 * The mailbox behind an address, for limits: in lower case, and without what follows a `+`, which most servers ignore.
 */
export function mailboxOf(email: string): string {
  const text = email.toLowerCase();
  const at = text.lastIndexOf('@');
  return text.slice(0, at).replace(/(?<=.)\+.*/s, '') + text.slice(at);
}

/* The rules of changes of an account, as in `stored-account`. */

/** Returns the conflict of an address that is listed already, in any case of its letters. */
export function addAlertAddress(account: StoredAccount, added: StoredAlertAddress): StoredAccount | StoreConflictError {
  const { alertAddresses } = account;
  if (alertAddresses.some(({ email }) => email.toLowerCase() === added.email.toLowerCase()))
    return new StoreConflictError(coded('known-address'));
  if (alertAddresses.length >= ALERT_ADDRESSES_MAX)
    return new StoreConflictError(coded('many-addresses', { max: ALERT_ADDRESSES_MAX }));
  return { ...account, alertAddresses: [...alertAddresses, added] };
}

/** Returns the same account if the address is confirmed already. */
export function confirmAlertAddress(account: StoredAccount, id: string): StoredAccount | undefined {
  const found = account.alertAddresses.find((one) => one.id === id);
  if (found === undefined || found.confirmed) return found && account;
  const confirmed = { ...found, confirmed: true };
  return { ...account, alertAddresses: account.alertAddresses.map((one) => (one === found ? confirmed : one)) };
}

export function removeAlertAddress(account: StoredAccount, id: string): StoredAccount | undefined {
  const left = account.alertAddresses.filter((one) => one.id !== id);
  return left.length === account.alertAddresses.length ? undefined : { ...account, alertAddresses: left };
}

/** Returns the conflict of a webhook that is listed already. */
export function addAlertWebhook(account: StoredAccount, added: StoredAlertWebhook): StoredAccount | StoreConflictError {
  const { alertWebhooks } = account;
  if (alertWebhooks.some(({ address }) => address === added.address))
    return new StoreConflictError(coded('known-alert-webhook'));
  if (alertWebhooks.length >= ALERT_WEBHOOKS_MAX)
    return new StoreConflictError(coded('many-alert-webhooks', { max: ALERT_WEBHOOKS_MAX }));
  return { ...account, alertWebhooks: [...alertWebhooks, added] };
}

export function removeAlertWebhook(account: StoredAccount, id: string): StoredAccount | undefined {
  const left = account.alertWebhooks.filter((one) => one.id !== id);
  return left.length === account.alertWebhooks.length ? undefined : { ...account, alertWebhooks: left };
}

/** What an address or a webhook gets from now on. */
export function chooseAlerts(account: StoredAccount, id: string, choice: AlertChoice): StoredAccount | undefined {
  const { alertAddresses, alertWebhooks } = account;
  if (![...alertAddresses, ...alertWebhooks].some((one) => one.id === id)) return undefined;
  const chosen = <One extends AlertChoice & { readonly id: string }>(one: One): One =>
    one.id === id ? { ...one, ...choice } : one;
  return { ...account, alertAddresses: alertAddresses.map(chosen), alertWebhooks: alertWebhooks.map(chosen) };
}

/** Whether a reader gets alerts of this kind about a destination, by its public id. */
export const wantsAlert = ({ kinds, muted }: AlertChoice, kind: AlertKind, destination: string): boolean =>
  kinds.includes(kind) && !muted.includes(destination);
