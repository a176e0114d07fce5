import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/** Encrypts the secrets that Mailhook stores for its customers (AES-256-GCM), or leaves them as they are without a key. */
export interface Sealing {
  /** Encrypts with the first key. */
  seal(text: string): string;
  /** Returns a text that was stored without encryption as it is. Throws SealedError if none of the keys fits. */
  open(text: string): string;
  readonly hasKey: boolean;
  /** Whether `seal` would store the text in another way: with the first key, or encrypted at all. */
  isOutdated(text: string): boolean;
}

/** A stored secret cannot be read. The message is for operators. */
export class SealedError extends Error {
  override readonly name = 'SealedError';
}

/** Precedes an encrypted text: the format, and a digest of the key. */
const SEALED = /^sealed:1:([\da-f]{8}):([\w-]+)$/;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param keys 32 bytes each. The first one encrypts, and all of them decrypt, so that a key can be replaced. */
export function createSealing(keys: readonly Buffer[]): Sealing {
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const [current] = byId.keys();
  return {
    hasKey: current !== undefined,
    seal(text) {
      const key = byId.get(current ?? '');
      if (key === undefined) return text;
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final()];
      return `sealed:1:${current}:${Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url')}`;
    },
    open(text) {
      const [, id, content] = SEALED.exec(text) ?? [];
      if (id === undefined || content === undefined) return text;
      const key = byId.get(id);
      if (key === undefined)
        throw new SealedError(`SECRETS_KEY lacks the key ${id}, with which a stored secret is encrypted`);
      return decrypt(key, Buffer.from(content, 'base64url'));
    },
    isOutdated: (text) => current !== undefined && SEALED.exec(text)?.[1] !== current,
  };
}

function decrypt(key: Buffer, content: Buffer): string {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, content.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(content.subarray(-TAG_BYTES));
    const text = decipher.update(content.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch (error) {
    throw new SealedError('a stored secret is damaged', { cause: error });
  }
}

const keyId = (key: Buffer): string => hash('sha256', key, 'hex').slice(0, 8);
