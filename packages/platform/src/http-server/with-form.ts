import type { IncomingMessage, ServerResponse } from 'node:http';
import { plainMediaType } from './json-body.ts';
import type { BodyRules } from './read-body.ts';
import { readBody } from './read-body.ts';

/** A form's fields, each by its last value. */
export type FormFields = Readonly<Record<string, string>>;

/**
 * Runs the work with the fields of the form in the request's body. Another kind of body has no fields. Releases the reservation when the work is done.
 * Rejects as `readBody` and the work do.
 */
export async function withForm<Result>(
  request: IncomingMessage,
  response: ServerResponse,
  rules: BodyRules,
  work: (form: FormFields) => Promise<Result>,
): Promise<Result> {
  try {
    const isForm = plainMediaType(request.headers) === 'application/x-www-form-urlencoded';
    const text = isForm ? (await readBody(request, response, rules)).toString('utf8') : '';
    return await work(Object.fromEntries(new URLSearchParams(text)));
  } finally {
    rules.reservation.release();
  }
}
