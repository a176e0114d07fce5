import type { RequestHandler } from 'express';

/** Keeps caches from storing replies that are meant for one account or one operator. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  next();
};
