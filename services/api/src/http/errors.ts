import { OutdatedChangeError, StoreConflictError, StoreUnavailableError } from '@mailhook/core';
import { FanOutTooLargeError, QueueBusyError, QueueFullError, QueueUnavailableError } from '@mailhook/delivery';
import { LocalFaultError } from '@mailhook/doctor';
import { ProblemError, unavailable } from '@mailhook/platform/http-server';
import { isDiskRefusal } from '@mailhook/platform/redis';

/** `Retry-After` in seconds. A supervisor needs about this long to restart a dead process. */
const RETRY_SOON = 2;
/** For a full Redis and a full disk, because a person may have to fix them. */
const RETRY_LATER = 30;

/**
 * Maps errors of the layers below to HTTP problems. The text of a StoreConflictError comes from core's rules or from
 * `store/`. The intake itself maps a TooManyWaitingError, because its answer names the accounts.
 */
export function translateError(error: unknown): ProblemError | undefined {
  if (isDiskRefusal(rootCause(error))) {
    const detail =
      'Redis cannot write to its disk at the moment, so Mailhook cannot accept new events or changes. Send the ' +
      'request again later.';
    return unavailable(detail, RETRY_LATER, error);
  }
  if (error instanceof QueueFullError || startsWith('OOM ', rootCause(error))) {
    const detail =
      'Redis nears its memory limit, so Mailhook cannot accept new events or changes. Send the request again later.';
    return unavailable(detail, RETRY_LATER, error);
  }
  if (startsWith('NOREPLICAS ', rootCause(error))) {
    const detail =
      'Redis has fewer replicas than its min-replicas-to-write, so Mailhook cannot accept new events or changes. ' +
      'Send the request again.';
    return unavailable(detail, RETRY_SOON, error);
  }
  if (error instanceof StoreUnavailableError) {
    return unavailable('The store cannot be reached at the moment. Send the request again.', RETRY_SOON, error);
  }
  if (error instanceof QueueBusyError) {
    return unavailable('Too many events are being written to the queue. Send the request again.', RETRY_SOON, error);
  }
  if (error instanceof QueueUnavailableError || isRedisFailure(error)) {
    return unavailable('The queue cannot be reached at the moment. Send the request again.', RETRY_SOON, error);
  }
  if (error instanceof LocalFaultError) return unavailable(error.message, RETRY_SOON, error);
  if (error instanceof FanOutTooLargeError) {
    return new ProblemError('payload_too_large', {
      detail:
        'These events become too many deliveries, or too many bytes of them, for one request: Mailhook writes every ' +
        `event once for each destination that takes it. Send them as ${error.parts} requests or more.`,
    });
  }
  if (error instanceof OutdatedChangeError) return new ProblemError('precondition_failed', { detail: error.message });
  if (error instanceof StoreConflictError) return new ProblemError('conflict', { detail: error.detail });
  return undefined;
}

const rootCause = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? rootCause(error.cause) : error;

/** Redis names its reason to refuse a command in the first word. */
const startsWith = (word: string, error: unknown): boolean => error instanceof Error && error.message.startsWith(word);

/**
 * ioredis has no class for a lost connection, so its messages are matched. Redis names its reason to refuse a command
 * in the first word.
 */
const CONNECTION_FAILURE =
  /Connection is closed|Command timed out|Stream isn't writeable|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT/;
const REDIS_REFUSAL = /^(OOM|LOADING|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN|MASTERDOWN|BUSY)\b/;

function isRedisFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === 'MaxRetriesPerRequestError' ||
    CONNECTION_FAILURE.test(error.message) ||
    REDIS_REFUSAL.test(error.message)
  );
}
