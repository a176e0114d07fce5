import type { RequestHandler, Router } from 'express';
import { pageQuery, redriveInput } from '@mailhook/core';
import type { DeadLetter } from '@mailhook/core';
import type { DeadLetterBox, Page } from '@mailhook/delivery';
import { addRoute, parseOrThrow } from '@mailhook/platform/http-server';
import { accountOf } from '../auth/authenticate.ts';

/** Lists the account's dead letters, and delivers them again. */
export interface DeadLetters {
  /** Newest first. */
  list(account: string, query: unknown): Promise<Page<DeadLetter>>;
  redrive(account: string, body: unknown): Promise<{ readonly redriven: number }>;
}

export const createDeadLetters = (box: DeadLetterBox): DeadLetters => ({
  list: async (account, query) => {
    const page = await box.list({ account }, parseOrThrow(pageQuery, query));
    return { ...page, items: page.items.map(shown) };
  },
  redrive: async (account, body) => {
    const { ids } = parseOrThrow(redriveInput, body);
    return { redriven: await box.redrive({ account, ids }) };
  },
});

const shown = ({ id, time, kind, address, events, attempts, error }: DeadLetter): DeadLetter => ({
  id,
  time,
  kind,
  address,
  events,
  attempts,
  error,
});

export function addDeadLetterRoutes(
  router: Router,
  before: readonly RequestHandler[],
  { deadLetters }: { readonly deadLetters: DeadLetters },
): void {
  const get: RequestHandler = async (request, response) => {
    response.json(await deadLetters.list(accountOf(response), request.query));
  };
  const post: RequestHandler = async (request, response) => {
    response.status(202).json(await deadLetters.redrive(accountOf(response), request.body ?? {}));
  };
  addRoute(router, '/v3/webhook/dead-letters', { get: [...before, get] });
  addRoute(router, '/v3/webhook/dead-letters/redrive', { post: [...before, post] });
}
