import { coded, isRedirect, statusRule } from '@mailhook/core';
import type { CheckOutcome, CodedText, PlainCode, ReceiverCheck, ReceiverExchange, TextCode } from '@mailhook/core';

/** What is wrong, and how to fix it. */
export interface Fault {
  readonly detail: CodedText;
  readonly fix: CodedText;
}

/** What a check examines, and why. It is the same in every report. */
export type Subject = Pick<ReceiverCheck, 'id' | 'title' | 'why'>;

/** Checks whose texts have no values. */
type Topic = PlainCode extends infer Code ? (Code extends `${infer Name}.why` ? Name : never) : never;

export const subjectOf = (id: Exclude<Topic, 'notification'>): Subject => ({
  id,
  title: coded(`${id}.title`),
  why: coded(`${id}.why`),
});

/** A check's result. */
export interface Finding {
  readonly outcome: CheckOutcome;
  readonly detail: CodedText;
  readonly fix?: CodedText;
}

export const passed = (detail: CodedText): Finding => ({ outcome: 'passed', detail });
export const failed = (fault: Fault): Finding => ({ outcome: 'failed', ...fault });
export const warning = (fault: Fault): Finding => ({ outcome: 'warning', ...fault });
export const skipped = (reason: CodedText): Finding => ({ outcome: 'skipped', detail: reason });

export const asCheck = ({ id, title, why }: Subject, { outcome, detail, fix }: Finding): ReceiverCheck => ({
  id,
  title,
  outcome,
  detail,
  why,
  // `mend` is the earlier name of the field.
  ...(fix === undefined ? {} : { fix, mend: fix }),
});

export type ReplyExchange = Extract<ReceiverExchange, { type: 'reply' }>;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;
/** Whether the receiver refuses the request because it does not trust the sender. */
export const isRefused = (status: number): boolean => status === 401 || status === 403;

/** Whether a status may be about what the request holds, so that a check knows better than the status what to fix. */
export const isAboutContent = (status: number): boolean =>
  status === 200 || (status >= 400 && status <= 500 && statusRule(status).fix === undefined);

/** What is wrong with an exchange that brought no reply. */
export function transportFault(exchange: Exclude<ReceiverExchange, ReplyExchange>, timeoutMs: number): Fault {
  switch (exchange.type) {
    case 'timeout':
      return { detail: coded('late-reply', { seconds: secondsOf(timeoutMs) }), fix: coded('fix-late') };
    case 'unreachable':
      return { detail: coded('not-reached', { fault: exchange.detail }), fix: coded(fixOfUnreachable(exchange)) };
    case 'cut':
      return { detail: coded('ended-early'), fix: coded('fix-cut') };
    case 'invalid-reply':
      return { detail: coded('not-read', { fault: exchange.detail }), fix: coded('fix-not-read') };
    case 'blocked':
      return { detail: coded('is-blocked', { fault: exchange.detail }), fix: coded('fix-blocked') };
  }
}

const FIXES_BY_CODE: Partial<Record<TextCode, PlainCode>> = {
  'not-connected': 'fix-not-connected',
  'tls-client': 'fix-client',
  'tls-refused': 'fix-handshake',
  'tls-late': 'fix-https',
  'tls-none': 'fix-https',
  'tls-version': 'fix-handshake',
  'tls-closed': 'fix-https',
  'tls-failed': 'fix-https',
  'tls-failed-cause': 'fix-https',
  'closed-plain': 'fix-https',
  'no-address': 'fix-name',
  'dns-failed': 'fix-name',
  'dns-refused': 'fix-name',
  'dns-silent': 'fix-name',
  refused: 'fix-refused',
};

const fixOfUnreachable = ({ detail: { code } }: { readonly detail: CodedText }): PlainCode =>
  FIXES_BY_CODE[code] ?? (code.startsWith('tls-') ? 'fix-certificate' : 'fix-log');

/** With one digit after the point at most. */
export const secondsOf = (ms: number): number => Math.round(ms / 100) / 10;

/** What is wrong with a status. `wanted` names the correct one, such as `2xx`. */
export const statusFault = (status: number, wanted: string): Fault => ({
  detail: coded('not-as-wanted', { status, wanted }),
  fix: fixOfStatus(status, wanted),
});

function fixOfStatus(status: number, wanted: string): CodedText {
  if (isRedirect(status)) return coded('fix-redirect');
  if (isSuccess(status)) return coded('fix-exactly', { wanted });
  return coded(statusRule(status).fix ?? (status >= 500 ? 'fix-error' : 'fix-accept'));
}
