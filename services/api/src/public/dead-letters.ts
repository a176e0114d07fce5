import type { RequestHandler, Router } from 'express';
import { pageQuery, redriveInput } from '@mailhook/core';
import type { DeadLetter } from '@mailhook/core';
import type { DeadLetterBox } from '@mailhook/delivery';
import { addRoute, mustBe } from '@mailhook/platform/http-server';
import { accountOf } from './authenticate.ts';

interface DeadLettersDeps {
  readonly deadLetters: DeadLetterBox;
}

/** What was given up of the account's deliveries, and the way back. */
export function addDeadLetterRoutes(router: Router, before: readonly RequestHandler[], deps: DeadLettersDeps): void {
  addRoute(router, '/v3/webhook/dead-letters', { get: [...before, list(deps)] });
  addRoute(router, '/v3/webhook/dead-letters/redrive', { post: [...before, redrive(deps)] });
}

const shown = ({ id, time, kind, address, events, attempts, error }: DeadLetter): DeadLetter => ({
  id,
  time,
  kind,
  address,
  events,
  attempts,
  error,
});

const list =
  ({ deadLetters }: DeadLettersDeps): RequestHandler =>
  async (request, response) => {
    const page = await deadLetters.list({ account: accountOf(response) }, mustBe(pageQuery, request.query));
    response.json({ ...page, items: page.items.map(shown) });
  };

const redrive =
  ({ deadLetters }: DeadLettersDeps): RequestHandler =>
  async (request, response) => {
    const { ids } = mustBe(redriveInput, request.body ?? {});
    const redriven = await deadLetters.redrive({ account: accountOf(response), ids });
    response.status(202).json({ redriven });
  };
