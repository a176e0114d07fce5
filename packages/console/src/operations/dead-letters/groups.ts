import type { CodedText, DeadLetter, DeadLetterGroup, OperatorServices } from '@mailhook/core';
import {
  causeIn,
  causeOf,
  countedObject,
  deadLetterGroupId,
  destinationIdOf,
  endpointKey,
  hash32,
  hostOf,
  plural,
  typesKey,
  withoutQuotations,
} from '@mailhook/core';
import type { Content } from '../../html/markup.ts';
import { plainSentence } from '../../messages/coded.ts';
import { excerpt, titleOf } from '../destinations/destination-table.ts';
import type { Names } from '../view.ts';

export type AccountDeadLetter = DeadLetter & { readonly account: string };

/** Dead letters of one host and one cause, of any account. */
export interface HostGroup {
  readonly id: number;
  readonly host: string;
  readonly cause: CodedText;
  /** Newest first. */
  readonly letters: readonly AccountDeadLetter[];
  readonly events: number;
}

/** Those with the most events first. */
export function groupByHost(letters: readonly AccountDeadLetter[]): readonly HostGroup[] {
  const groups = new Map<string, AccountDeadLetter[]>();
  for (const one of letters) {
    const key = `${causeOf(one.error)} ${hostOf(one.address)}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups]
    .flatMap(([key, own]): HostGroup[] => {
      const [newest] = own;
      if (newest === undefined) return [];
      const { address, error } = newest;
      return [{ id: hash32(key), host: hostOf(address), cause: causeIn(error), letters: own, events: eventsOf(own) }];
    })
    .sort((a, b) => b.events - a.events);
}

export const eventsOf = (letters: readonly DeadLetter[]): number =>
  letters.reduce((sum, { events }) => sum + events, 0);

/** The account's groups of dead letters by cause and destination that are in a group by host. */
export type Members = ReadonlyMap<string, readonly string[]>;

/** No id of an account or a group has one of these. */
const [BETWEEN, WITHIN] = ['\n', ' '] as const;

/** A field of a form. */
export const membersField = (letters: readonly AccountDeadLetter[]): string =>
  [...new Set(letters.map((one) => `${one.account}${WITHIN}${deadLetterGroupId(one)}`))].join(BETWEEN);

export function membersIn(field: string): Members {
  const members = new Map<string, string[]>();
  for (const line of field.split(/\r?\n/)) {
    const [account = '', group = ''] = line.split(WITHIN);
    if (group !== '') members.set(account, [...(members.get(account) ?? []), group]);
  }
  return members;
}

/** What customers read of the same cause, without what it quotes of a reply. */
export const sentence = (cause: CodedText): Content =>
  plainSentence(cause, (value) => excerpt(withoutQuotations(value)));

export const ALL_OF_CAUSE = 'This counts all of this cause, also on other pages, and from before the address changed.';
export const NONE_LEFT = 'None of these dead letters is left.';

export const countText = (deadLetters: number, events: number): string =>
  plural(deadLetters, 'dead letter', 'dead letters') +
  (events === deadLetters ? '' : ` with ${plural(events, 'event', 'events')}`);

/** Name of a destination, or else its event types. A deleted one has its id: an account may have several. */
export function destinationName(account: string, destination: string, names: Names): string {
  const id = destinationIdOf(account, destination);
  const kind = id === destination ? 'transactional' : 'campaign';
  const isKnown = kind === 'campaign' || names.has(endpointKey(id)) || names.has(typesKey(id));
  return isKnown ? titleOf({ id, kind }, names) : id;
}

/** The destination of an account's group, for people. */
export const groupTitle = (account: string, group: string, names: Names): string =>
  `${destinationName(account, group.slice(group.indexOf('.') + 1), names)} of ${names.get(account) ?? account}`;

/** Counts all dead letters of these groups, old ones too, as an action on the groups selects them. */
export async function countGroups(
  { deadLetters }: OperatorServices,
  account: string,
  groups: readonly string[],
): Promise<readonly DeadLetterGroup[]> {
  const { items } = await deadLetters.groups(account, {}, Number.POSITIVE_INFINITY);
  return items.filter(({ id }) => groups.includes(id));
}

type FactsOf = (selected: object, result: object) => string;

/** For the audit log. The facts end with the cause of these groups. */
export function factsOf([group]: readonly DeadLetterGroup[]): FactsOf {
  const cause = group === undefined ? '' : ` cause=${withoutQuotations(String(causeIn(group.error)))}`;
  return (selected, result) => `${countedObject(selected, result)}${cause}`;
}
