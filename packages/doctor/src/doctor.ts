import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { asTested, localFaultReason, VERSION_1_REQUESTS } from '@mailhook/core';
import type { CodedText, LocalFault, Mechanism, ReceiverReport, Shape } from '@mailhook/core';
import type { ReceiverClient } from '@mailhook/delivery';
import { judge, stopReason } from './judge.ts';
import type { Observation } from './observations.ts';
import { planProbes } from './probes.ts';
import type { ProbeId } from './probes.ts';

export interface DoctorDeps {
  /** A receiver client with the egress guard, deadline and reply size limit of real deliveries. */
  readonly client: Pick<ReceiverClient, 'post'>;
  /** The client's deadline per request. */
  readonly timeoutMs: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /**
   * Returns a new random text each time, 8 to 20 characters of A-Z, a-z, 0-9, - and _. It makes the samples of each
   * check unique.
   */
  readonly newRunId?: () => string;
}

interface ReceiverToCheck {
  /** Whose connections to the receiver may be used. Without it, those of other checks without an account. */
  readonly account?: string;
  readonly address: string;
  readonly kind: Mechanism;
  /** Default: that of version 1. */
  readonly shape?: Shape;
  /** Of the body. Default: 1. */
  readonly version?: 1 | 2;
  /** The account's signing secrets, oldest first. If empty, requests are not signed. */
  readonly secrets: readonly string[];
  /** Custom headers of every request, such as a login. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Mailhook itself could not send a request (a local fault), so there is no report. The message is for the customer. */
export class LocalFaultError extends Error {
  override readonly name = 'LocalFaultError';
  readonly reason: CodedText;
  constructor(fault: LocalFault) {
    const reason = localFaultReason(fault);
    super(`${String(reason)}.`);
    this.reason = reason;
  }
}

/**
 * Checks a receiver against the whole protocol. Sends up to six requests with marked sample events, one after the
 * other, to this address and no other. Takes at most six deadlines. Rejects only with LocalFaultError, never because of
 * the receiver. The report holds no part of a reply.
 */
export type Doctor = (receiver: ReceiverToCheck) => Promise<ReceiverReport>;

const randomRunId = (): string => randomBytes(6).toString('base64url');

/** A well-formed secret that belongs to no account, for the request with a wrong signature. */
const STRANGERS_SECRET = `whsec_${btoa('not the secret of this account')}`;

/**
 * The status line decides a notification. The pause lets the rest of a long reply arrive, so that the next request can
 * reuse the connection.
 */
const PAUSE_MS = 100;

export const createDoctor =
  ({ client, timeoutMs, now = Date.now, newRunId = randomRunId }: DoctorDeps): Doctor =>
  async ({ account = '', address, secrets, headers: custom = {}, ...given }) => {
    const { kind, shape = VERSION_1_REQUESTS[kind].shape, version = 1 } = given;
    const isSigned = secrets.length > 0;
    const seen = new Map<ProbeId, Observation>();
    for (const probe of planProbes({ kind, shape, version, run: newRunId(), nowMs: now(), isSigned })) {
      if (stopReason(seen) !== undefined) break;
      if (seen.size > 0 && !probe.needsBody) await wait(PAUSE_MS);
      const signing = probe.id === 'stranger' ? [STRANGERS_SECRET] : secrets;
      const { body, needsBody, webhookId, attempt } = probe;
      const identity = { webhookId, attempt, secrets: signing, custom };
      const exchange = await client.post({ account, address, body, needsBody, readsStart: !needsBody, ...identity });
      if (exchange.type === 'local-fault') throw new LocalFaultError(exchange);
      seen.set(probe.id, { probe, exchange: asTested(exchange) });
    }
    const checks = judge({ shape, version }, { address, isSigned, timeoutMs, seen, stopped: stopReason(seen) });
    const count = (outcome: string): number => checks.filter((check) => check.outcome === outcome).length;
    return { address, kind, shape, version, passed: count('passed'), failed: count('failed'), checks };
  };
