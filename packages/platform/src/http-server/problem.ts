import { STATUS_CODES } from 'node:http';
import type { CodedText, FieldError, Problem, ProblemCode } from '@mailhook/core';

const STATUS_OF: Readonly<Record<ProblemCode, number>> = {
  malformed_json: 400,
  unauthorized: 401,
  forbidden: 403,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  event_log_off: 404,
  replay_running: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  unknown_account: 422,
  rate_limited: 429,
  too_many_waiting: 429,
  unavailable: 503,
  internal_error: 500,
};

interface ProblemDetails {
  /** A sentence with the fault and the fix. */
  readonly detail?: string | CodedText | undefined;
  readonly errors?: readonly FieldError[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Names the cause of a refusal for logs. It is not sent. */
  readonly reason?: string | undefined;
  readonly cause?: unknown;
}

/**
 * An error that is an intended reply. Thrown anywhere below a route, and sent as RFC 9457 problem details by the error
 * handler.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly FieldError[] | undefined;
  readonly detail: string | CodedText | undefined;
  readonly reason: string | undefined;

  constructor(code: ProblemCode, { detail, errors, headers = {}, reason, cause }: ProblemDetails = {}) {
    super(String(detail ?? code), { cause });
    this.code = code;
    this.status = STATUS_OF[code];
    this.headers = headers;
    this.errors = errors;
    this.detail = detail;
    this.reason = reason;
  }
}

/**
 * The queue, the store or Redis is unavailable. Sending the same request again completes a partial change, if there is
 * one.
 */
export const unavailable = (detail: string, retryAfterSeconds: number, cause?: unknown): ProblemError =>
  new ProblemError('unavailable', { detail, cause, headers: { 'retry-after': String(retryAfterSeconds) } });

const KIB = 1024;
const MIB = 1024 * KIB;
const sizeText = (bytes: number): string =>
  bytes % MIB === 0 ? `${bytes / MIB} MiB` : bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`;

/** `when` ends the sentence, such as ` after it is unpacked`. */
export const tooLarge = (limitBytes: number, when = ''): ProblemError =>
  new ProblemError('payload_too_large', {
    detail: `The request body is larger than ${sizeText(limitBytes)}${when}. Send less data per request.`,
  });

/** The media type of every error reply. */
export const PROBLEM_TYPE = 'application/problem+json';

/**
 * The body of an error reply (RFC 9457). `type` identifies the kind of problem, like `code`. `instance` contains the
 * request's id.
 */
export function problemBody(error: ProblemError, requestId: string): Problem & { readonly instance: string } {
  return {
    type: `urn:mailhook:problem:${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    code: error.code,
    ...(error.detail === undefined ? {} : { detail: String(error.detail) }),
    ...(error.errors === undefined ? {} : { errors: [...error.errors] }),
    instance: `urn:mailhook:request:${requestId}`,
  };
}
