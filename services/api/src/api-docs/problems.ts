import { problem, problemCode } from '@mailhook/core';
import type { FieldError, ProblemCode } from '@mailhook/core';
import { PROBLEM_TYPE, ProblemError, problemBody } from '@mailhook/platform/http-server';
import { z } from 'zod';
import { optionalLimitHeaders, requestIdHeader, retryAfter, wwwAuthenticate } from './headers.ts';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';

interface ProblemSketch {
  /** When the API answers with this problem. */
  readonly when: string;
  /** The `detail` of the example. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

const SKETCHES: Readonly<Record<ProblemCode, ProblemSketch>> = {
  malformed_json: { when: 'The body is not JSON.', detail: 'The request body is not valid JSON.' },
  unauthorized: {
    when: 'No valid token was sent.',
    detail: 'Send a valid access token as Authorization: Bearer <token>.',
  },
  forbidden: {
    when: 'The token is of another kind.',
    detail: 'This token is of another kind; use the admin token here.',
  },
  insufficient_scope: {
    when:
      'The token is valid, but only for less: reading, or creating portal links. The header `WWW-Authenticate` names ' +
      'the scope that the request needs.',
    detail: 'This access is for reading only. Ask for one that may manage webhooks.',
  },
  not_found: {
    when: 'Nothing has this id.',
    detail: 'This account has no subscription with this id.',
  },
  event_log_off: {
    when: 'This installation keeps no event log.',
    detail: 'This installation keeps no log of accepted events. Its operator can switch it on with EVENT_LOG.',
  },
  replay_running: {
    when: 'The destination has a running replay already, or the account three of them, or the installation 50.',
    detail: 'This destination has a running replay already. Wait for its end, or stop it.',
  },
  request_timeout: {
    when: 'The body took too long to arrive: more than 10 seconds between two parts of it, or a minute in all.',
    detail: 'The request body took too long to arrive. Send the request again.',
  },
  method_not_allowed: {
    when: 'The path has no such method.',
    detail: 'PATCH is not possible here; allowed: GET, PUT, DELETE, HEAD.',
  },
  conflict: {
    when:
      'The account has as many of these as it may have (two signing secrets, 20 subscriptions of a type), or the ' +
      'state of the destination does not allow the action.',
    detail:
      'The account has 20 subscriptions of type open already, the most there may be: change one of them or delete one.',
  },
  precondition_failed: {
    when: 'The ETag in `If-Match` is older than the last change. Nothing was changed.',
    detail:
      'This was changed after you read it, so your change was not made. Read it again, then send your change with ' +
      'the new ETag.',
  },
  payload_too_large: {
    when: 'The body is too long or holds too many values, or its events have too many receivers for one request.',
    detail: 'The request body is larger than 1 MiB. Send less data per request.',
  },
  unsupported_media_type: {
    when: 'The body has another Content-Type.',
    detail: 'Send the body as Content-Type: application/json.',
  },
  validation_failed: {
    when: 'Fields are invalid; errors lists them all.',
    detail: 'address must not lead to a loopback address; use a public address',
    errors: [{ path: 'address', message: 'must not lead to a loopback address; use a public address' }],
  },
  unknown_account: {
    when: 'An event names an account that does not exist.',
    detail: 'There is no account acme.',
    errors: [{ path: '7.account', message: 'there is no such account' }],
  },
  rate_limited: {
    when:
      'Too many failed sign-ins from this client address, too many requests or searches of this account, or too many ' +
      'tests or checks of receivers.',
    detail: 'Too many failed sign-ins from this address. Check the access token and try again in a minute.',
  },
  too_many_waiting: {
    when: 'Too many events of an account wait to be delivered.',
    detail: 'Account acme has too many undelivered events or dead letters. Send these events again later.',
  },
  unavailable: {
    when:
      'The store or the queue cannot be reached now, or the server reads as many bodies as its memory allows. No ' +
      'part of the request was carried out.',
    detail: 'The store cannot be reached at the moment. Send the request again.',
  },
  internal_error: {
    when: 'An internal error. It was logged with the id of the request.',
    detail: 'Send the request again.',
  },
};

/** Headers beside the id of the request. A 401 comes before the limits. */
const HEADERS: Readonly<Record<number, Readonly<Record<string, z.ZodType>>>> = {
  401: { 'WWW-Authenticate': wwwAuthenticate },
  403: { 'WWW-Authenticate': wwwAuthenticate.optional(), ...optionalLimitHeaders },
  429: { 'Retry-After': retryAfter, ...optionalLimitHeaders },
  503: { 'Retry-After': retryAfter, ...optionalLimitHeaders },
};

const EXAMPLE_REQUEST_ID = '5b0f8c1e-9d0a-4f0e-8a57-0c4c3a0f1d11';

type Example = ReturnType<typeof exampleOf>;

function exampleOf(code: ProblemCode) {
  const { when, detail, errors } = SKETCHES[code];
  const error = new ProblemError(code, { detail, errors });
  return { code, status: error.status, when, value: problemBody(error, EXAMPLE_REQUEST_ID) };
}

/**
 * The error answers of an operation that may fail with these codes. Each status has one answer, with one example per
 * code.
 */
export function problemResponses(codes: readonly ProblemCode[]): ZodOpenApiResponsesObject {
  const examples = problemCode.options.filter((code) => codes.includes(code)).map(exampleOf);
  const statuses = [...new Set(examples.map(({ status }) => status))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      sharedResponse(
        status,
        examples.filter((example) => example.status === status),
      ),
    ]),
  );
}

/** The response to a request with the ETag of the present state. */
export const notModified: ZodOpenApiResponsesObject = {
  '304': { id: 'NotModified', description: 'Nothing has changed since the ETag in `If-None-Match`. There is no body.' },
};

/** The response of Node itself to any operation, before Mailhook sees the request. */
export const headersTooLarge: ZodOpenApiResponsesObject = {
  '431': { id: 'HeadersTooLarge', description: 'The request has more than 16 KiB of headers. There is no body.' },
};

/** Responses by component name. Operations with the same problems share one description. */
const shared = new Map<string, ZodOpenApiResponseObject>();

function sharedResponse(status: number, examples: readonly Example[]): ZodOpenApiResponseObject {
  const name = examples.map(({ code }) => pascalCase(code)).join('Or');
  const response = shared.get(name) ?? { id: name, ...responseOf(status, examples) };
  shared.set(name, response);
  return response;
}

const pascalCase = (code: ProblemCode): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

function responseOf(status: number, examples: readonly Example[]): ZodOpenApiResponseObject {
  return {
    description: examples.map(({ code, when }) => `\`${code}\`: ${when}`).join('\n\n'),
    headers: z.object({ ...requestIdHeader, ...(HEADERS[status] ?? optionalLimitHeaders) }),
    content: {
      [PROBLEM_TYPE]: {
        schema: problem,
        examples: Object.fromEntries(examples.map(({ code, when, value }) => [code, { summary: when, value }])),
      },
    },
  };
}
