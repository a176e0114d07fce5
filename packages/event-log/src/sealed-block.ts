import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { DamagedLogError } from './bytes.ts';

/** A key of one account. */
export interface BlockKey {
  /** Names the key among those of its account: the months since 1970 when it was made. */
  readonly month: number;
  /** 32 bytes. */
  readonly key: Buffer;
}

/**
 * The keys that blocks are sealed with. They lie with the accounts, so that a deleted account takes them with it. An
 * unreadable key is there, but `SECRETS_KEY` does not open it. It must not stop the log of other accounts.
 */
export interface BlockKeys {
  /** The key for new blocks of an account. Undefined: there is no such account, so nothing of it may be stored. */
  current(account: string): Promise<BlockKey | 'unreadable' | undefined>;
  /** Undefined if the account or this key is gone. */
  ofMonth(account: string, month: number): Promise<Buffer | 'unreadable' | undefined>;
}

/** The codec of a sealed block. Those of compression are other numbers. */
const SEALED = 2;
/** The codec, the month, and the length of the account's id. */
const HEAD_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A compressed block, encrypted (AES-256-GCM). It opens only for its account and month, which stand before it. */
export function sealBlock(compressed: Buffer, account: string, { month, key }: BlockKey): Buffer {
  const name = Buffer.from(account);
  const head = Buffer.alloc(HEAD_BYTES + name.length);
  head.writeUInt8(SEALED, 0);
  head.writeUInt16LE(month, 1);
  head.writeUInt8(name.length, HEAD_BYTES - 1);
  name.copy(head, HEAD_BYTES);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(head);
  return Buffer.concat([head, iv, cipher.update(compressed), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Whom a stored block is of, and its key. Undefined if it is not sealed.
 *
 * @throws DamagedLogError
 */
export function sealOf(stored: Buffer): { readonly account: string; readonly month: number } | undefined {
  if (stored[0] !== SEALED) return undefined;
  const end = HEAD_BYTES + (stored[HEAD_BYTES - 1] ?? 0);
  if (stored.length < end + IV_BYTES + TAG_BYTES) throw new DamagedLogError('a sealed block is too short');
  return { account: stored.toString('utf8', HEAD_BYTES, end), month: stored.readUInt16LE(1) };
}

/** @throws DamagedLogError for bytes that were not sealed with this key. */
export function openBlock(stored: Buffer, key: Buffer): Buffer {
  const start = HEAD_BYTES + (stored[HEAD_BYTES - 1] ?? 0);
  try {
    const iv = stored.subarray(start, start + IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(stored.subarray(0, start)).setAuthTag(stored.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(stored.subarray(start + IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (error) {
    throw new DamagedLogError('a sealed block cannot be opened', { cause: error });
  }
}
