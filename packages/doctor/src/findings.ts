import { isRedirect, statusRule } from '@mailhook/core';
import type { CheckOutcome, ReceiverCheck, ReceiverExchange } from '@mailhook/core';

/** What is wrong, and how to fix it. */
export interface Fault {
  readonly detail: string;
  readonly fix: string;
}

/** What a check examines, and why. It is the same in every report. */
export type Subject = Pick<ReceiverCheck, 'id' | 'title' | 'why'>;

/** A check's result. */
export interface Finding {
  readonly outcome: CheckOutcome;
  readonly detail: string;
  readonly fix?: string;
}

export const passed = (detail: string): Finding => ({ outcome: 'passed', detail });
export const failed = (fault: Fault): Finding => ({ outcome: 'failed', ...fault });
export const warning = (fault: Fault): Finding => ({ outcome: 'warning', ...fault });
export const skipped = (reason: string): Finding => ({ outcome: 'skipped', detail: reason });

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

/** What is wrong with an exchange that brought no reply. */
export function transportFault(exchange: Exclude<ReceiverExchange, ReplyExchange>, timeoutMs: number): Fault {
  switch (exchange.type) {
    case 'timeout':
      return {
        detail: `No complete reply came within ${seconds(timeoutMs)}.`,
        fix: 'Store the events and answer at once; work on them afterwards.',
      };
    case 'unreachable':
      return { detail: `The receiver could not be reached: ${exchange.detail}.`, fix: fixOfUnreachable(exchange) };
    case 'cut':
      return { detail: 'Mailhook ended the request before the deadline.', fix: 'Run the check again.' };
    case 'invalid-reply':
      return {
        detail: `The reply could not be read: ${exchange.detail}.`,
        fix: 'Answer in HTTP/1.1 with a short body, and only what the protocol asks for.',
      };
    case 'blocked':
      return {
        detail: `The address is blocked: ${exchange.detail}.`,
        fix: 'Enter an address that is reachable from the public internet.',
      };
  }
}

function fixOfUnreachable({ detail }: { readonly detail: string }): string {
  if (detail.includes('no connection')) {
    return 'Check host and port, and let the firewall take requests from the internet: it seems to drop them without an answer.';
  }
  if (detail.includes('client certificate')) return 'Let requests to this address in without a client certificate.';
  if (/in time|https|handshake|TLS on this port|version/.test(detail))
    return 'Check that this port speaks https, and that the receiver is not overloaded.';
  if (detail.startsWith('TLS')) return 'Install a valid certificate for this name, with its whole chain.';
  if (detail.includes('name')) return 'Check the spelling of the host name, and its DNS records.';
  if (detail.includes('refused')) return 'Start the receiver, and check host, port and firewall.';
  return 'Look into the log of the receiver, and of the proxy before it, for the reason.';
}

export const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} seconds`;

/** What is wrong with a status. `wanted` names the correct one, such as `2xx`. */
export function statusFault(status: number, wanted: string): Fault {
  return { detail: `The receiver answered HTTP ${status} instead of ${wanted}.`, fix: fixOfStatus(status, wanted) };
}

function fixOfStatus(status: number, wanted: string): string {
  if (isRedirect(status)) return 'Enter the final address: redirects are never followed.';
  if (isSuccess(status)) return `Answer exactly ${wanted}.`;
  return (
    statusRule(status).fix ??
    (status >= 500
      ? "Look into the receiver's log for the error that this request caused."
      : 'Accept this request: it looks exactly like a real one.')
  );
}
