/** What Mailhook does after a reply with this status, and what it says about it. */
export interface StatusRule {
  /** Nothing is resent, and the destination is switched off. */
  readonly endsDeliveries?: boolean;
  /** `yes`: the receiver refuses the content itself. `maybe`: only the replies to parts of the batch can show it. */
  readonly isAboutContent?: 'yes' | 'maybe';
  /** The request was too large: smaller ones follow. */
  readonly isTooLarge?: boolean;
  /** Mailhook waits as long as `Retry-After` says. */
  readonly honorsRetryAfter?: boolean;
  /** For the customer, after a delivery or a test. */
  readonly advice?: string;
  /** For the report of the receiver doctor. */
  readonly fix?: string;
}

const LET_PASS =
  'Let these requests pass without login, CSRF token or address filter. If you verify signatures: the receiver needs ' +
  'the same signing secret as the destination, or else as the account, and the signature covers the body as it came.';
const LOG_IN =
  'Your server, an API gateway or a firewall wants a login. Enter it under “Login and headers”, or let POST requests ' +
  'to this path through without one. If your server verifies signatures, create a signing secret.';

/**
 * What single statuses mean, in one place. Every other status but a success is a failed attempt that follows the
 * schedule. A 200 is about the content if its acknowledgement confirms no event, and a 500 may be an internal error
 * that an event causes.
 */
export const STATUS_RULES: Readonly<Record<number, StatusRule>> = {
  200: { isAboutContent: 'maybe' },
  400: { isAboutContent: 'yes' },
  401: { advice: LOG_IN, fix: LET_PASS },
  403: { advice: LOG_IN, fix: LET_PASS },
  404: {
    advice: 'There is no application at this address. Compare its path with the route on your server.',
    fix: 'Check the path of the address, and that the receiver has a route for it.',
  },
  405: {
    advice: 'Your server does not take POST requests here. Mailhook sends POST.',
    fix: 'Accept POST at this address.',
  },
  410: {
    endsDeliveries: true,
    advice: 'HTTP 410 means that the address is permanently gone. Enter the new address.',
    fix: 'Answer 410 only to end deliveries permanently, because Mailhook then switches the destination off.',
  },
  413: {
    isAboutContent: 'yes',
    isTooLarge: true,
    advice: 'The request is too large for your server. Let it take bodies of at least 1 MB.',
    fix: 'Allow request bodies of at least 1 MiB, in the receiver and in the proxy before it.',
  },
  415: { fix: 'Accept Content-Type: application/json;charset=UTF-8.' },
  422: { isAboutContent: 'yes' },
  429: {
    honorsRetryAfter: true,
    advice:
      'Your server limits how often it is called. Mailhook waits and tries again; raise the limit if it happens often.',
    fix: 'Allow more requests in a short time, or none will come through under load.',
  },
  500: { isAboutContent: 'maybe' },
  503: { honorsRetryAfter: true },
};

/** The rule of a status, empty for a status without one and for no reply. */
export const statusRule = (status: number | undefined): StatusRule => STATUS_RULES[status ?? 0] ?? {};

/** The statuses with this property, in ascending order. */
export const statusesThat = (property: keyof StatusRule): readonly string[] =>
  Object.entries(STATUS_RULES).flatMap(([status, rule]) => (rule[property] === undefined ? [] : [status]));

/** For texts: the statuses that end deliveries. */
export const ENDING_STATUSES = statusesThat('endsDeliveries').join(' or ');
