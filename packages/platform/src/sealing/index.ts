import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/**
 * The place that a stored secret is for. An encrypted text opens only there, so a copy in another account or field is
 * of no use.
 */
interface SecretPlace {
  readonly account: string;
  /** `SIGNING_SECRET`, a `logKeyField`, or the lowercase name of a custom header. */
  readonly field: string;
}

/** The field of signing secrets. No header has a name with a space. */
export const SIGNING_SECRET = 'signing secret';
/** The field of an account's key in the event log. `month`: since 1970. */
export const logKeyField = (month: number): string => `event log ${month}`;

/**
 * Encrypts the secrets that Mailhook stores for its customers (AES-256-GCM), or marks them as plain texts without a
 * key.
 */
export interface Sealing {
  /** Encrypts with the first key. The stored form says whether the text is encrypted, whatever the text is. */
  seal(text: string, place: SecretPlace): string;
  /** @throws SealedError if none of the keys fits, if the text is for another place, or if it is no stored form. */
  open(stored: string, place: SecretPlace): string;
  readonly hasKey: boolean;
  /** Whether `seal` would store the text in another way: with the first key, or encrypted instead of plain. */
  isOutdated(stored: string): boolean;
}

/** A stored secret cannot be read. The message is for operators. */
export class SealedError extends Error {
  override readonly name = 'SealedError';
}

const PLAIN = 'plain:';
/** An encrypted text: the format, a digest of the key, and the content. */
const SEALED = /^sealed:2:([\da-f]{8}):([\w-]+)$/;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param keys 32 bytes each. The first one encrypts, and all of them decrypt, so that a key can be replaced. */
export function createSealing(keys: readonly Buffer[]): Sealing {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]));
  const [current] = byId.keys();
  return {
    hasKey: current !== undefined,
    seal(text, place) {
      const key = byId.get(current ?? '');
      if (key === undefined) return PLAIN + text;
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bytesOf(place));
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final()];
      return `sealed:2:${current}:${Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url')}`;
    },
    open(stored, place) {
      if (stored.startsWith(PLAIN)) return stored.slice(PLAIN.length);
      const [, id, content] = SEALED.exec(stored) ?? [];
      if (id === undefined || content === undefined) throw new SealedError('a stored secret is damaged');
      const key = byId.get(id);
      if (key === undefined)
        throw new SealedError(`SECRETS_KEY lacks the key ${id}, with which a stored secret is encrypted`);
      return decrypt(key, Buffer.from(content, 'base64url'), bytesOf(place));
    },
    isOutdated: (stored) => current !== undefined && SEALED.exec(stored)?.[1] !== current,
  };
}

function decrypt(key: Buffer, content: Buffer, place: Buffer): string {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, content.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(place).setAuthTag(content.subarray(-TAG_BYTES));
    const text = decipher.update(content.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch (error) {
    throw new SealedError('a stored secret is damaged, or was copied from another account or field', { cause: error });
  }
}

/** JSON, so that no two places have the same bytes. */
const bytesOf = ({ account, field }: SecretPlace): Buffer => Buffer.from(JSON.stringify([account, field]));

/** A digest that names a key and does not reveal it, such as `deadbeef`. `none` without a key. */
export const keyIdOf = (key: Buffer | undefined): string =>
  key === undefined ? 'none' : hash('sha256', key, 'hex').slice(0, 8);
