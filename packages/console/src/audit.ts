/** Where a request came from. */
export interface Origin {
  /** Label or id of an access token, `portal link`, or the label of an admin token. */
  readonly token?: string | undefined;
  /** The operator whom a sign-in proxy has named. */
  readonly person?: string | undefined;
  /** The IP address of the client. */
  readonly client?: string | undefined;
  /** The header `x-request-id` of the answer. */
  readonly requestId?: string | undefined;
}

/** Who looks at an account as its customer. `token`: the label of the admin token. */
export interface Operator {
  readonly token: string;
  readonly person?: string | undefined;
}

/** Such as `anna@example.com via ops`. Without a sign-in proxy, the label alone. */
export const operatorName = ({ token, person }: Operator): string =>
  person === undefined ? token : `${person} via ${token}`;

interface AuditedAction extends Origin {
  readonly actor: 'customer' | 'operator';
  /** Such as `create subscription`. */
  readonly action: string;
  readonly account?: string | undefined;
  /** What it was done to: an id, an address or a path. */
  readonly object?: string | undefined;
}

/** `time` is ISO 8601. */
export interface AuditEntry extends AuditedAction {
  readonly via: string;
  readonly time: string;
}

type PressedButton = AuditedAction & { readonly via: 'settings page' | 'operations page' | 'e-mail link' };

/** Who changed what. */
export interface AuditLog {
  /** Never rejects. */
  record(action: PressedButton): Promise<void>;
  /** Newest first. */
  list(query: {
    readonly account?: string | undefined;
    readonly actor?: string | undefined;
    /** A part of the action. */
    readonly action?: string | undefined;
    readonly limit: number;
    readonly cursor?: string | undefined;
  }): Promise<{ readonly items: readonly AuditEntry[]; readonly nextCursor?: string }>;
}

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
  pressed: Omit<PressedButton, 'action'>,
): Promise<void> {
  const action = Object.hasOwn(BUTTONS, button) ? BUTTONS[button] : undefined;
  if (action !== undefined) await log.record({ ...pressed, action });
}
