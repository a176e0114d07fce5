import type { CodedText, DeadLetter, OperatorServices } from '@mailhook/core';
import { causeIn, causeOf, countedObject, deadLetterGroupId, hash32, hostOf, withoutQuotations } from '@mailhook/core';

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

type FactsOf = (selected: object, result: object) => string;

/** Reads the cause of an account's group before it changes, for the audit log. The facts end with it. */
export async function readFacts(
  { deadLetters }: OperatorServices,
  account: string,
  group: string | undefined,
): Promise<FactsOf> {
  const { items } = await deadLetters.groups(account, {});
  const error = items.find(({ id }) => id === group)?.error;
  const cause = error === undefined ? '' : ` cause=${withoutQuotations(String(causeIn(error)))}`;
  return (selected, result) => `${countedObject(selected, result)}${cause}`;
}
