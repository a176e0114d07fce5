import type { SigningSecret } from '@mailhook/core';
import type { Content } from '../html/markup.ts';

/** A part of the page, or the reason why it could not be read. Parts fail independently. */
export type Loaded<Value> =
  | { readonly value: Value }
  | {
      readonly fault: Content;
      /** Of HTTP. */
      readonly status: number;
      /** Only what the address names is missing, which says so in its place. */
      readonly isOpened?: true;
    };

export const valueOf = <Value>(loaded: Loaded<Value>): Value | undefined =>
  'value' in loaded ? loaded.value : undefined;

/** Whether a part could not be read because Redis or the store is away, or because it was asked for too often. */
export const isUnread = (loaded: Loaded<unknown>): boolean =>
  'fault' in loaded && loaded.isOpened !== true && (loaded.status >= 500 || loaded.status === 429);

/** The parts of a view that can fail. */
export const loadedIn = (view: object): readonly Loaded<unknown>[] =>
  Object.values(view).filter(
    (part): part is Loaded<unknown> =>
      typeof part === 'object' && part !== null && ('value' in part || 'fault' in part),
  );

/** The signing secrets that an account has. */
export interface Signing {
  readonly secrets: Loaded<readonly SigningSecret[]>;
  /** Those of each destination that has some, by its id, or `campaign` for the campaign webhook. */
  readonly ownSecrets: Loaded<ReadonlyMap<string, readonly SigningSecret[]>>;
}

/** Whether requests to the destination are signed. True if this could not be read. */
export const isSigned = ({ secrets, ownSecrets }: Signing, destination: string): boolean =>
  valueOf(secrets)?.length !== 0 || valueOf(ownSecrets)?.has(destination) !== false;
