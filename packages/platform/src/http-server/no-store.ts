import type { RequestHandler } from 'express';

/** For answers that are one account's or one operator's own: nobody on the way keeps them. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  next();
};
