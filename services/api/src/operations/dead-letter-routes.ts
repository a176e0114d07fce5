import type { RequestHandler, Router } from 'express';
import { deadLetterFilter, pageQuery, withoutQuotations } from '@mailhook/core';
import type { DeadLetterBox } from '@mailhook/delivery';
import { addRoute, optionalBody, parseOrThrow } from '@mailhook/platform/http-server';
import type { Discard } from './discard.ts';

export interface DeadLetterRoutesDeps {
  readonly deadLetters: DeadLetterBox;
  readonly discard: Discard;
}

/** The part of the admin API for the dead letters of all accounts. */
export function addDeadLetterRoutes(
  router: Router,
  before: readonly RequestHandler[],
  { deadLetters, discard }: DeadLetterRoutesDeps,
): void {
  const list: RequestHandler = async (request, response) => {
    const page = await deadLetters.list({}, parseOrThrow(pageQuery, request.query));
    response.json({ ...page, items: page.items.map((one) => ({ ...one, error: withoutQuotations(one.error) })) });
  };
  const redrive: RequestHandler = async (request, response) => {
    const filter = parseOrThrow(deadLetterFilter, optionalBody(request.body));
    response.status(202).json(await deadLetters.redrive(filter));
  };
  const discardThem: RequestHandler = async (request, response) => {
    response.json(await discard(request.body));
  };
  addRoute(router, '/admin/dead-letters', { get: [...before, list] });
  addRoute(router, '/admin/dead-letters/redrive', { post: [...before, redrive] });
  addRoute(router, '/admin/dead-letters/discard', { post: [...before, discardThem] });
}
