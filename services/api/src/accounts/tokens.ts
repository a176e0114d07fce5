import { hash, randomBytes } from 'node:crypto';
import { PRODUCER_TOKEN_PREFIX } from '@mailhook/core';
import { invalid } from '@mailhook/platform/http-server';

/** 256 random bits after a prefix that identifies the kind of token, for example in a log. */
const newToken = (prefix: string): string => `${prefix}${randomBytes(32).toString('base64url')}`;

export const newAccessToken = (): string => newToken('mhk_');

export const newProducerToken = (): string => newToken(PRODUCER_TOKEN_PREFIX);

/** The digest that the store keeps of a token. A plain digest suffices, because nobody can guess 256 random bits. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex');

/** A signing secret in the format of Standard Webhooks. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** An id of 96 random bits, as 16 URL-safe characters. */
export const newId = (): string => randomBytes(12).toString('base64url');

/** Whether this end, in ISO 8601, lies in the past. */
export const hasExpired = ({ expiresAt }: { readonly expiresAt: string | null }): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();

/** The end of a new token, as the store keeps it. Throws a 422 if it lies in the past. */
export function endOf(expiresAt: string | undefined, path = 'expiresAt'): string | null {
  if (expiresAt === undefined) return null;
  if (hasExpired({ expiresAt })) throw invalid([{ path, message: 'must be a time in the future' }]);
  return new Date(expiresAt).toISOString();
}
