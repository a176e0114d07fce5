import { coded } from '@mailhook/core';
import type { RequestHandler } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';

/**
 * Refuses requests that a page of another site makes a browser send. Browsers name the source in `Sec-Fetch-Site` or,
 * without https, in `Origin`. A request with neither header does not come from a page, so no browser added a cookie or
 * a password to it.
 *
 * @param publicUrl the URL of this site for browsers, for proxies that change the Host header.
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
    detail: coded('other-site'),
    reason: 'foreign_site',
  });
