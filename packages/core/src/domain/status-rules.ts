/** What Mailhook does after a reply with this status, and what it says about it. */
export interface StatusRule {
  /** Nothing is resent, and the destination is switched off. */
  readonly endsDeliveries?: boolean;
  /** `yes`: the receiver refuses the content itself. `maybe`: only the replies to parts of the batch can show it. */
  readonly isAboutContent?: 'yes' | 'maybe';
  /** The request was too large: smaller ones follow. */
  readonly isTooLarge?: boolean;
  /** For the report of the receiver doctor. */
  readonly fix?: string;
}

const LET_PASS =
  'Let these requests pass without login, CSRF token or address filter. If you verify signatures: the receiver needs ' +
  'the same signing secret as the destination, or else as the account, and the signature covers the body as it came.';

/**
 * What single statuses mean, in one place. Every other status but a success is a failed attempt that follows the
 * schedule. A 200 is about the content if its acknowledgement confirms no event, and a 500 may be an internal error
 * that an event causes.
 */
export const STATUS_RULES: Readonly<Record<number, StatusRule>> = {
  200: { isAboutContent: 'maybe' },
  400: { isAboutContent: 'yes' },
  401: { fix: LET_PASS },
  403: { fix: LET_PASS },
  404: { fix: 'Check the path of the address, and that the receiver has a route for it.' },
  405: { fix: 'Accept POST at this address.' },
  410: {
    endsDeliveries: true,
    fix: 'Answer 410 only to end deliveries permanently, because Mailhook then switches the destination off.',
  },
  413: {
    isAboutContent: 'yes',
    isTooLarge: true,
    fix: 'Allow request bodies of at least 1 MiB, in the receiver and in the proxy before it.',
  },
  415: { fix: 'Accept Content-Type: application/json;charset=UTF-8.' },
  422: { isAboutContent: 'yes' },
  429: { fix: 'Allow more requests in a short time, or none will come through under load.' },
  500: { isAboutContent: 'maybe' },
};

/** The rule of a status, empty for a status without one and for no reply. */
export const statusRule = (status: number | undefined): StatusRule => STATUS_RULES[status ?? 0] ?? {};

/** The statuses with this property, in ascending order. */
export const statusesThat = (property: keyof StatusRule): readonly string[] =>
  Object.entries(STATUS_RULES).flatMap(([status, rule]) => (rule[property] === undefined ? [] : [status]));

/** For texts: the statuses that end deliveries. */
export const ENDING_STATUSES = statusesThat('endsDeliveries').join(' or ');
