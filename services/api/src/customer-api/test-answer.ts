import type { Request, Response } from 'express';
import { testQuery } from '@mailhook/core';
import type { TestResult } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';

/**
 * Runs a test and answers with its result. Shows the request and the reply only with `?details=true`, because the
 * result alone is the older answer. The same holds for a warning of the connection test, whose plain success is only
 * `{success: true}`.
 */
export async function answerTest(
  request: Request,
  response: Response,
  run: () => Promise<TestResult>,
  isWarningADetail = false,
): Promise<void> {
  const { details } = parseOrThrow(testQuery, request.query);
  const whole = await run();
  const { request: sent, reply, ...result } = whole;
  if (details === 'true') response.json({ ...result, request: sent, reply });
  else response.json(isWarningADetail && whole.success ? { success: true } : result);
}
