import { emailKey } from '@mailhook/core';
import type { LoggedEvent } from './entry.ts';
import { fieldsOf } from './event-fields.ts';
import { hexOf } from './fingerprint.ts';
import type { Fingerprint, LogHash } from './fingerprint.ts';
import { KnownList } from './known-list.ts';
import type { LogStore } from './store.ts';

/** What is erased: the events of a recipient, those of a message, or all of the account. */
export type ErasedEvents = { readonly email: string } | { readonly messageId: string } | 'all';

/** An erasure hides the account's events that were accepted before it. */
export interface Erasure {
  /** Name of its object, which is empty: the name says all. */
  readonly object: string;
  /** Keyed hash of the account. */
  readonly account: bigint;
  readonly madeAtMs: number;
  readonly field: 'email' | 'messageId' | 'all';
  /** Of the value; 0 for all. */
  readonly fingerprint: Fingerprint;
}

const FOLDER = 'erasures/';
const NAME = /^erasures\/(?<account>[0-9a-f]{16})-(?<made>\d+)-(?<field>email|messageId|all)-(?<value>[0-9a-f]{16})$/;

/** Erasures, which all api processes find in the store. */
export class Erasures {
  readonly #store: LogStore;
  readonly #hash: LogHash;
  readonly #known: KnownList<Erasure>;

  constructor(store: LogStore, hash: LogHash, nowMs: () => number) {
    this.#store = store;
    this.#hash = hash;
    this.#known = new KnownList(() => this.#read(), nowMs);
  }

  /** Hides the events. Once it has returned, no call of this process shows them. */
  async add(account: string, erased: ErasedEvents, madeAtMs: number): Promise<void> {
    const [field, value] = this.#valueOf(erased);
    const key = this.#hash.ofAccount(account).toString(16).padStart(16, '0');
    const name = `${FOLDER}${key}-${madeAtMs}-${field}-${hexOf(value)}`;
    await this.#store.put(name, []);
    this.#known.forget();
  }

  /** All erasures, at most a second old. */
  list(): Promise<readonly Erasure[]> {
    return this.#known.list();
  }

  /** Whether an event of the account is erased. Undefined: the account has no erasures. */
  async matcherOf(account: string): Promise<((event: LoggedEvent) => boolean) | undefined> {
    const key = this.#hash.ofAccount(account);
    const erasures = (await this.list()).filter((one) => one.account === key);
    return erasures.length === 0 ? undefined : this.#matcher(erasures);
  }

  /** Whether an event is erased by these erasures, which are of its account. */
  #matcher(erasures: readonly Erasure[]): (event: LoggedEvent) => boolean {
    const lastMs = new Map<string, number>();
    for (const { field, fingerprint, madeAtMs } of erasures) {
      const text = `${field} ${hexOf(fingerprint)}`;
      lastMs.set(text, Math.max(madeAtMs, lastMs.get(text) ?? 0));
    }
    const allMs = lastMs.get(`all ${hexOf(ALL)}`) ?? -1;
    const isHidden = (field: 'email' | 'messageId', value: string, acceptedAtMs: number): boolean =>
      value !== '' && acceptedAtMs <= (lastMs.get(`${field} ${hexOf(this.#hash.ofValue(field, value))}`) ?? -1);
    return (event) => {
      if (event.acceptedAtMs <= allMs) return true;
      const { email, messageId } = fieldsOf(event);
      return isHidden('email', email, event.acceptedAtMs) || isHidden('messageId', messageId, event.acceptedAtMs);
    };
  }

  async forget(erasures: readonly Erasure[]): Promise<void> {
    for (const { object } of erasures) await this.#store.delete(object);
    this.#known.forget();
  }

  async #read(): Promise<Erasure[]> {
    const objects = await this.#store.list(FOLDER);
    return objects.flatMap(({ name }) => {
      const { account, made, field, value } = NAME.exec(name)?.groups ?? {};
      if (account === undefined || value === undefined) return [];
      const fingerprint = { high: parseInt(value.slice(0, 8), 16), low: parseInt(value.slice(8), 16) };
      return [
        {
          object: name,
          account: BigInt(`0x${account}`),
          madeAtMs: Number(made),
          field: field as Erasure['field'],
          fingerprint,
        },
      ];
    });
  }

  #valueOf(erased: ErasedEvents): [Erasure['field'], Fingerprint] {
    if (erased === 'all') return ['all', ALL];
    if ('email' in erased) return ['email', this.#hash.ofValue('email', emailKey(erased.email))];
    return ['messageId', this.#hash.ofValue('messageId', erased.messageId)];
  }
}

const ALL: Fingerprint = { high: 0, low: 0 };
