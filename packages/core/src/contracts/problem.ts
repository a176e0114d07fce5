import { z } from 'zod';

/** Stable, documented error codes of the API. Clients may switch on them; the texts may change. */
export const problemCode = z.enum([
  'malformed_json',
  'unauthorized',
  'forbidden',
  'insufficient_scope',
  'not_found',
  'event_log_off',
  'method_not_allowed',
  'request_timeout',
  'conflict',
  'replay_running',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'unknown_account',
  'rate_limited',
  'too_many_waiting',
  'unavailable',
  'internal_error',
]);
export type ProblemCode = z.infer<typeof problemCode>;

export const fieldError = z.object({
  path: z
    .string()
    .describe(
      'The field, with the index first when the request holds several events: 7.name. Empty for the body itself.',
    ),
  message: z.string(),
});
export type FieldError = z.infer<typeof fieldError>;

/** RFC 9457 problem details, the body of every error reply of Mailhook. */
export const problem = z.object({
  type: z.string().describe('Identifies the kind of problem, as code does.'),
  title: z.string().describe('The text of the HTTP status.'),
  status: z.int(),
  code: problemCode.describe('Stable: clients may switch on it. The texts may change.'),
  detail: z.string().optional().describe('What is wrong and how to fix it, in a sentence.'),
  errors: z.array(fieldError).optional(),
  instance: z.string().optional().describe('The id of the request, as in the header X-Request-Id.'),
});
export type Problem = z.infer<typeof problem>;
