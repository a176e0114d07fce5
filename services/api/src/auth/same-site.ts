import type { RequestHandler } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';

/**
 * Refuses what another site's page makes a browser send. Browsers say where a request comes from in `Sec-Fetch-Site` or, where the page
 * is not on https, in `Origin`; what has neither was not sent by a browser's page, so no cookie and no password came with it unasked.
 *
 * @param publicUrl where browsers see this site, when a proxy changes the Host header.
 */
export const createSameSiteCheck =
  (publicUrl: string | undefined): RequestHandler =>
  (request, _response, next) => {
    const site = request.get('sec-fetch-site');
    const origin = request.get('origin');
    const isOwn =
      site !== undefined
        ? site === 'same-origin' || site === 'none'
        : origin === undefined || isOriginOf(origin, request.get('host'), publicUrl);
    next(isOwn ? undefined : refusal());
  };

function isOriginOf(origin: string, host: string | undefined, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host || (publicUrl !== undefined && url.origin === new URL(publicUrl).origin);
}

const refusal = (): ProblemError =>
  new ProblemError('forbidden', {
    detail: 'This request came from another site. Open the page itself and try there.',
  });
