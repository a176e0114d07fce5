import type { AuditedAction, AuditLog } from '@mailhook/core';

/** The buttons of the pages that change something. */
const BUTTONS: Readonly<Record<string, string>> = {
  'save-campaign': 'save campaign webhook',
  'save-campaign-on': 'save and switch on campaign webhook',
  'switch-off-campaign': 'switch off campaign webhook',
  'remove-campaign': 'remove campaign webhook',
  'create-subscription': 'create subscription',
  'create-subscription-anyway': 'create subscription',
  'edit-subscription': 'edit subscription',
  'edit-subscription-anyway': 'edit subscription',
  'edit-subscription-on': 'edit and switch on subscription',
  'edit-subscription-on-anyway': 'edit and switch on subscription',
  'switch-on': 'switch on subscription',
  'switch-off': 'switch off subscription',
  'delete-subscription': 'delete subscription',
  'create-secret': 'create signing secret',
  'delete-secret': 'delete signing secret',
  'add-alert-address': 'add alert address',
  'remove-alert-address': 'remove alert address',
  'sign-out-everywhere': 'end all sessions',
  'save-settings': 'change headers',
  pause: 'pause',
  resume: 'resume',
  'send-now': 'send now',
  sendNow: 'send now',
  probe: 'probe',
  showAddress: 'show address',
  drop: 'give up waiting events',
  redrive: 'redrive dead letters',
  'stop-redrive': 'stop redrive',
  discard: 'discard dead letters',
  createAccount: 'create account',
  deleteAccount: 'delete account',
  openAsCustomer: 'create portal link',
  createToken: 'create access token',
  revokeToken: 'revoke access token',
  createProducerToken: 'create producer token',
  revokeProducerToken: 'revoke producer token',
};

/** Records a pressed button. Ignores buttons that change nothing, such as tests. */
export async function auditButton(
  log: Pick<AuditLog, 'record'>,
  button: string,
  pressed: Omit<AuditedAction, 'action'>,
): Promise<void> {
  const action = Object.hasOwn(BUTTONS, button) ? BUTTONS[button] : undefined;
  if (action !== undefined) await log.record({ ...pressed, action });
}
