import type { testQuery, TestResult } from '@mailhook/core';
import type { z } from 'zod';

/**
 * A test's result as the API answers it. Shows the request and the reply only with `?details=true`, because the result
 * alone is the older answer. That of the connection test has no other fields than `success` and `message`.
 */
export function shownResult(
  whole: TestResult,
  { details }: z.infer<typeof testQuery>,
  isConnectionTest = false,
): TestResult {
  if (details === 'true') return whole;
  const { request: _request, reply: _reply, ...result } = whole;
  if (!isConnectionTest) return result;
  return result.success ? { success: true } : { success: false, message: result.message };
}
