import type { AuditEntry } from '@mailhook/core';

/** An entry of the audit log in words. */
export interface Spoken {
  readonly action: string;
  /** An id, an address, or what was counted. */
  readonly object?: string | undefined;
  /** Whether the object is a destination, with a page. */
  readonly isDestination: boolean;
}

const ON_DESTINATIONS =
  /destination$|subscription$|campaign webhook$|^change headers$|^show address$|^send now$|^give up waiting events$/;
const PLAIN_VERB = /^(pause|resume|probe)$/;

/** Of buttons with other words than the action. */
const BUTTONS: Readonly<Record<string, string>> = {
  probe: 'Try one event now',
  'probe failing receivers': 'Try all now',
  'send now': 'Send all now',
};
const wordsOf = (action: string, via: AuditEntry['via'] | undefined): string | undefined =>
  // By API, the platform makes the link for the customer.
  action === 'create portal link' && via === 'operations page' ? 'Open as customer' : BUTTONS[action];

type Named = Pick<AuditEntry, 'action' | 'object'> & Partial<Pick<AuditEntry, 'via'>>;

export function spoken({ action, object, via }: Named): Spoken {
  const pressed = boardAction(action);
  if (pressed !== undefined) return { ...pressed, isDestination: false };
  const whole = PLAIN_VERB.test(action) ? `${action} destination` : action;
  return {
    action: wordsOf(action, via) ?? sentenceCase(whole),
    object: object === undefined ? undefined : objectWords(object),
    // A deleted one has no page any more.
    isDestination: ON_DESTINATIONS.test(whole) && !whole.startsWith('delete '),
  };
}

const BOARD_PATH = /^[A-Z]+ \/queues\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/;

/** What a request to Bull Board's API does, such as `PUT /queues/alerts/17/retry`. */
function boardAction(action: string): Pick<Spoken, 'action' | 'object'> | undefined {
  const [, queue, first = '', second] = BOARD_PATH.exec(action) ?? [];
  if (queue === undefined) return undefined;
  if (second === undefined) return { action: `${sentenceCase(first)} queue`, object: queue };
  if (first === 'retry' || first === 'clean') return { action: `${sentenceCase(first)} ${second} jobs`, object: queue };
  return { action: `${sentenceCase(second)} job`, object: `${first} of ${queue}` };
}

const FACTS = /^(\w+=\S+(?: \w+=\S+)*?)(?: cause=(.+))?$/;
const ACCESS: Readonly<Record<string, string>> = { read: 'to see everything', manage: 'to change everything' };

/** `destination=a discarded=3` is `destination a, 3 discarded`. */
function objectWords(object: string): string {
  const [, listed, cause] = FACTS.exec(object) ?? [];
  if (listed === undefined) return ACCESS[object] ?? object;
  const facts = listed.split(' ').map((fact) => fact.split('='));
  const words = facts.map(([name = '', value = '']) => (/^\d+$/.test(value) ? `${value} ${name}` : `${name} ${value}`));
  return `${words.join(', ')}${cause === undefined ? '' : `: ${cause}`}`;
}

const sentenceCase = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`.replaceAll('-', ' ');
