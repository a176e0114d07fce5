import type { PlainCode } from './coded-text.ts';

/** What Mailhook does after a reply with this status, and what it says about it. */
export interface StatusRule {
  /** Nothing is resent, and the destination is switched off. */
  readonly endsDeliveries?: boolean;
  /** `yes`: the receiver refuses the content itself. `maybe`: only the replies to parts of the batch can show it. */
  readonly isAboutContent?: 'yes' | 'maybe';
  /** The request was too large: smaller ones follow. */
  readonly isTooLarge?: boolean;
  /** For the report of the receiver doctor. */
  readonly fix?: PlainCode;
}

/**
 * What single statuses mean, in one place. Every other status but a success is a failed attempt that follows the
 * schedule. A 200 is about the content if its acknowledgement confirms no event, and a 500 may be an internal error
 * that an event causes.
 */
export const STATUS_RULES: Readonly<Record<number, StatusRule>> = {
  200: { isAboutContent: 'maybe' },
  400: { isAboutContent: 'yes' },
  401: { fix: 'fix-pass' },
  403: { fix: 'fix-pass' },
  404: { fix: 'fix-path' },
  405: { fix: 'fix-post' },
  410: {
    endsDeliveries: true,
    fix: 'fix-gone',
  },
  413: {
    isAboutContent: 'yes',
    isTooLarge: true,
    fix: 'fix-large',
  },
  415: { fix: 'fix-json' },
  422: { isAboutContent: 'yes' },
  429: { fix: 'fix-many' },
  500: { isAboutContent: 'maybe' },
};

/** The rule of a status, empty for a status without one and for no reply. */
export const statusRule = (status: number | undefined): StatusRule => STATUS_RULES[status ?? 0] ?? {};

/** The statuses with this property, in ascending order. */
export const statusesThat = (property: keyof StatusRule): readonly string[] =>
  Object.entries(STATUS_RULES).flatMap(([status, rule]) => (rule[property] === undefined ? [] : [status]));

/** For texts: the statuses that end deliveries. */
export const ENDING_STATUSES = statusesThat('endsDeliveries').join(' or ');
