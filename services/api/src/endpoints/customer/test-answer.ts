import type { testQuery, TestResult } from '@mailhook/core';
import type { z } from 'zod';

/**
 * A test's result as the API answers it. Shows the request and the reply only with `?details=true`, because the result
 * alone is the older answer. The same holds for a warning of the connection test, whose plain success is only
 * `{success: true}`.
 */
export function shownResult(
  whole: TestResult,
  { details }: z.infer<typeof testQuery>,
  isWarningADetail = false,
): TestResult {
  const { request, reply, ...result } = whole;
  if (details === 'true') return { ...result, request, reply };
  return isWarningADetail && whole.success ? { success: true } : result;
}
