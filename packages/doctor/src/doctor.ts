import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { localFaultMessage } from '@mailhook/core';
import type { LocalFault, Mechanism, ReceiverReport } from '@mailhook/core';
import { deliveryHeaders } from '@mailhook/delivery';
import type { ReceiverClient } from '@mailhook/delivery';
import { judge, stopReason } from './judge.ts';
import type { Observation } from './observations.ts';
import { planProbes } from './probes.ts';
import type { Probe, ProbeId } from './probes.ts';

export interface DoctorDeps {
  /** The one that deliveries use: the same egress guard, deadline and cap of replies. */
  readonly client: Pick<ReceiverClient, 'post'>;
  /** The client's deadline. */
  readonly timeoutMs: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** A random text of 8 to 20 characters of A-Z, a-z, 0-9, - and _, another one each time: it makes the samples of a check its own. */
  readonly newRunId?: () => string;
}

export interface ReceiverToCheck {
  readonly address: string;
  readonly kind: Mechanism;
  /** The account's signing secrets, oldest first; empty: requests are not signed. */
  readonly secrets: readonly string[];
}

/** A local fault kept a request from leaving, so there is no report. The message is for the customer. */
export class LocalFaultError extends Error {
  override readonly name = 'LocalFaultError';
  constructor(fault: LocalFault) {
    super(`${localFaultMessage(fault)}.`);
  }
}

/**
 * Checks a receiver against the whole protocol. Sends up to six requests with marked sample events, one after the other, to this address
 * and no other. Takes at most six deadlines. Rejects with LocalFaultError, and never for what a receiver does. The report holds no part of
 * a reply.
 */
export type Doctor = (receiver: ReceiverToCheck) => Promise<ReceiverReport>;

const randomRunId = (): string => randomBytes(6).toString('base64url');

/** What a stranger would sign with: valid in form, and nobody's. */
const STRANGERS_SECRET = `whsec_${btoa('not the secret of this account')}`;

/** A notification is decided by the status line. The rest of that reply has to be in before its connection can be used again. */
const PAUSE_MS = 100;

export const createDoctor =
  ({ client, timeoutMs, now = Date.now, newRunId = randomRunId }: DoctorDeps): Doctor =>
  async ({ address, kind, secrets }) => {
    const isSigned = secrets.length > 0;
    const seen = new Map<ProbeId, Observation>();
    for (const probe of planProbes({ kind, run: newRunId(), nowMs: now(), isSigned })) {
      if (stopReason(seen) !== undefined) break;
      if (seen.size > 0 && !probe.needsBody) await wait(PAUSE_MS);
      const signing = probe.id === 'stranger' ? [STRANGERS_SECRET] : secrets;
      const exchange = await client.post(requestOf(probe, address, signing, now()));
      if (exchange.type === 'local-fault') throw new LocalFaultError(exchange);
      seen.set(probe.id, { probe, exchange });
    }
    const checks = judge(kind, { address, isSigned, timeoutMs, seen, stopped: stopReason(seen) });
    const count = (outcome: string): number => checks.filter((check) => check.outcome === outcome).length;
    return { address, kind, passed: count('passed'), failed: count('failed'), checks };
  };

function requestOf(probe: Probe, address: string, secrets: readonly string[], nowMs: number) {
  const { webhookId, attempt, body, needsBody } = probe;
  return { address, body, needsBody, headers: deliveryHeaders({ webhookId, attempt, secrets }, body, nowMs) };
}
