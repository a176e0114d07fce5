import type { ReceiverReport, TestTraffic } from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import type { Content } from '../html/markup.ts';

/** The part of a page that shows an outcome. Pages of operators have one place. */
export type OutcomePlace =
  | 'campaign'
  | 'new-endpoint'
  | 'endpoints'
  | `endpoint-${string}`
  | 'login'
  | 'dead-letters'
  | 'secrets'
  | 'own-secrets'
  | 'tokens'
  | 'alerts'
  | 'page';

/** What the page offers after an action, such as to send a new endpoint its past. */
export interface Offer {
  readonly value: string;
  readonly text: Content;
  readonly busy: Content;
  readonly fields: FormFields;
}

/** A question that the page asks before an action that loses or repeats events. */
export interface Dialog {
  readonly title: Content;
  /** What the action does, and what happens to which events. */
  readonly lines: readonly Content[];
  /** What the form has besides its buttons. */
  readonly fields: FormFields;
  /** The part of the page whose typed input the answer replaces. */
  readonly about?: string;
  readonly control?: Content;
  readonly buttons: readonly DialogButton[];
}

interface DialogButton {
  readonly id: string;
  readonly value: string;
  readonly text: Content;
  readonly busy: Content;
  readonly look: 'primary' | 'danger' | 'quiet';
}

/** The request and the reply of a test of this address. */
export interface Traffic extends TestTraffic {
  readonly address: string;
}

/** The outcome of an action on the page. */
export interface Outcome {
  readonly place: OutcomePlace;
  readonly isGood: boolean;
  /** Done, but not all is well. */
  readonly isWarning?: boolean;
  /** The form was made from another state than the saved one. */
  readonly isOutdated?: boolean;
  /** HTTP status of the page's answer. */
  readonly status: number;
  readonly text: Content;
  /** What to do next. */
  readonly advice?: Content;
  /** Errors by field. */
  readonly errors?: Readonly<Record<string, Content>> | undefined;
  /** Typed input, to show again. */
  readonly draft?: FormFields | undefined;
  /** The value of the button that goes on anyway. */
  readonly question?: string | undefined;
  /** What the page asks in a dialog before it does anything. */
  readonly dialog?: Dialog | undefined;
  /** A button beside the text. */
  readonly offer?: Offer | undefined;
  /** Shown in this answer only, such as a new token. Nothing stores it. */
  readonly secret?: string | undefined;
  /** A link that opens once. */
  readonly link?: string | undefined;
  readonly report?: ReceiverReport | undefined;
  /** The request and the reply of a test. */
  readonly traffic?: Traffic | undefined;
  /** The address of the page that shows the outcome, or that the browser loads instead. Default: that of the form. */
  readonly next?: { readonly url: string; readonly isRedirect?: true } | undefined;
  /** What was searched for, and no address may show. */
  readonly search?: string | undefined;
  /**
   * What was changed, for the audit log, if the form does not name it. `objects`: by account, each with an entry.
   * `later`: the same with numbers, at the end of a long run; never rejects. `action`: if it depends on the
   * input. A refusal has this if it comes after changes.
   */
  readonly changed?:
    | {
        readonly account?: string | undefined;
        readonly objects?: ReadonlyMap<string, string>;
        readonly later?: Promise<ReadonlyMap<string, string | undefined>>;
        readonly object?: string | undefined;
        readonly action?: string;
      }
    | undefined;
}

/** What an action says. Its declaration names the usual place. */
export type Said = Omit<Outcome, 'place'> & Partial<Pick<Outcome, 'place'>>;

export const done = (text: Content, more: Partial<Said> = {}): Said => ({ isGood: true, status: 200, text, ...more });

export const refused = (status: number, text: Content, more: Partial<Said> = {}): Said => ({
  isGood: false,
  status,
  text,
  ...more,
});

/** Nothing has happened yet: the page asks. */
export const asks = (dialog: Dialog): Said => ({ isGood: true, status: 200, text: '', dialog });
