import type { LocalFault, Mechanism } from '@mailhook/core';
import { localFaultCauses } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import { FORGET_FAULT_AFTER_MS, LOG_FAULTS_EVERY_MS, UNREADY_AFTER_MS } from './limits.ts';
import type { Runtime } from './runtime.ts';

/** Counts and logs local faults, and detects when the worker meets nothing else. */
export interface LocalFaults {
  met(fault: LocalFault): void;
  /** An attempt was made, so requests can be sent. */
  attempted(): void;
  /** A sentence if the worker has met nothing but local faults for 10 s. */
  readiness(): readonly string[];
}

interface LocalFaultsDeps {
  readonly kind: Mechanism;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly runtime: Pick<Runtime, 'now'>;
}

export function createLocalFaults({ kind, metrics, logger, runtime }: LocalFaultsDeps): LocalFaults {
  const counter = metrics.counter({
    name: 'mailhook_local_faults_total',
    help: 'Requests that could not leave for want of file descriptors, ports, memory, a resolver, a working proxy or the key of stored secrets; no attempt was used up',
    labels: ['kind', 'cause'],
  });
  for (const cause of localFaultCauses) counter.inc({ kind, cause }, 0);
  let last: { readonly fault: LocalFault; readonly sinceMs: number; readonly atMs: number } | undefined;
  let loggedMs = Number.NEGATIVE_INFINITY;
  return {
    met(fault) {
      const nowMs = runtime.now();
      counter.inc({ kind, cause: fault.cause });
      // It concerns the destination whose secret cannot be read, and says nothing about this process.
      if (fault.cause !== 'secrets-key') last = { fault, sinceMs: last?.sinceMs ?? nowMs, atMs: nowMs };
      if (nowMs - loggedMs < LOG_FAULTS_EVERY_MS) return;
      loggedMs = nowMs;
      logger.warn('the worker could not send a request and will retry', { kind, ...fault });
    },
    attempted() {
      last = undefined;
    },
    readiness() {
      if (last !== undefined && runtime.now() - last.atMs > FORGET_FAULT_AFTER_MS) last = undefined;
      if (last === undefined || runtime.now() - last.sinceMs < UNREADY_AFTER_MS) return [];
      return [`the ${kind} worker cannot send any request: ${last.fault.detail}`];
    },
  };
}
