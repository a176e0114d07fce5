import { z } from 'zod';

/** Headers of answers as components of the documents. Names are in the case in which the documents show them. */

const header = (id: string, description: string): z.ZodString => z.string().meta({ description, header: { id } });
const limit = header(
  'RateLimit',
  'How many requests of the access token and of the account are left, and in how many seconds all are available ' +
    'again. Below `/v3/webhook` only.',
);
const policy = header('RateLimitPolicy', 'How many requests there are in how many seconds. Below `/v3/webhook` only.');

/** Of every answer. */
export const requestIdHeader = {
  'X-Request-Id': header('XRequestId', 'Id of the request, as in the logs and in the audit log.'),
};

/** Of every answer to a customer. */
export const limitHeaders = { RateLimit: limit, 'RateLimit-Policy': policy };

/** Of answers that also other callers get. */
export const optionalLimitHeaders = { RateLimit: limit.optional(), 'RateLimit-Policy': policy.optional() };

export const retryAfter = header('RetryAfter', 'Seconds to wait.');
export const wwwAuthenticate = header(
  'WWWAuthenticate',
  '`Bearer`. With `insufficient_scope`, also the scope that the request needs.',
);

/** Of answers that show a record which a later request may replace. */
export const etagHeader = {
  ETag: header('ETag', 'The version of what the answer shows, for the `If-Match` of a change.'),
};

/** Of requests for such a record. */
export const ifNoneMatchParameter = z
  .string()
  .optional()
  .meta({
    description: 'The ETag of an earlier answer. If nothing has changed since then, the answer is a 304.',
    param: { id: 'IfNoneMatch' },
  });

/** Of requests that replace such a record. */
export const ifMatchParameter = z
  .string()
  .optional()
  .meta({
    description:
      'The ETag with which the record was read. If it has changed since, the answer is a 412 and nothing changes. ' +
      'Without this header, the request replaces any state.',
    param: { id: 'IfMatch' },
  });

/** Of every request. */
export const requestIdParameter = z
  .string()
  .optional()
  .meta({
    description:
      'An id for the request, which the answer and the logs repeat: 8 to 100 letters, digits, `_`, `.` or `-`. ' +
      'Any other text is ignored.',
    param: { id: 'XRequestId' },
  });
