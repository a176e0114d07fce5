import type { Request, Response } from 'express';
import { testQuery } from '@mailhook/core';
import type { TestResult } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';

/** Runs a test and answers with its result. Shows the request and the reply only with `?details=true`, because the result alone is the older answer. */
export async function answerTest(request: Request, response: Response, run: () => Promise<TestResult>): Promise<void> {
  const { details } = parseOrThrow(testQuery, request.query);
  const { request: sent, reply, ...result } = await run();
  response.json(details === 'true' ? { ...result, request: sent, reply } : result);
}
