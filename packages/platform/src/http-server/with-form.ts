import type { IncomingMessage, ServerResponse } from 'node:http';
import { plainMediaType } from './json-body.ts';
import type { BodyRules } from './read-body.ts';
import { readBody } from './read-body.ts';

/** The fields of a form. Only the last value of a repeated field counts. */
export type FormFields = Readonly<Record<string, string>>;

/**
 * Runs the work with the fields of the form in the request's body. A body of another media type has no fields. Releases
 * the reservation when the work is done. Rejects if `readBody` or the work rejects.
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
