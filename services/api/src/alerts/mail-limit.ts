import { mailboxOf } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { hashToken } from '../accounts/tokens.ts';

/** Alerts that one mailbox gets within a day, from all accounts. The summary comes after them. */
export const ALERTS_PER_DAY = 20;
const DAY_S = 86_400;

/** Of the alerts to a mailbox within a day, what becomes of this one. `leftMs`: how long the day lasts. */
export type Admission = { readonly as: 'alert' | 'nothing' } | { readonly as: 'summary'; readonly leftMs: number };

/** Counts each e-mail once, however often it is tried. Redis keeps only a digest of the address. */
export const createMailLimit =
  (redis: Redis, prefix: string) =>
  async (email: string, id: string): Promise<Admission> => {
    /** List: ids of the day's e-mails, in order. */
    const key = `${prefix}:alerts:mailed:${hashToken(mailboxOf(email))}`;
    const known = await redis.lpos(key, id);
    if (known === null && (await redis.llen(key)) > ALERTS_PER_DAY) return { as: 'nothing' };
    if (known === null) await redis.multi().rpush(key, id).expire(key, DAY_S, 'NX').exec();
    const place = known ?? (await redis.lpos(key, id)) ?? 0;
    if (place < ALERTS_PER_DAY) return { as: 'alert' };
    return place === ALERTS_PER_DAY ? { as: 'summary', leftMs: await redis.pttl(key) } : { as: 'nothing' };
  };
