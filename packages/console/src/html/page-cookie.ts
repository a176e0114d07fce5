import type { CookieOptions, Request, Response } from 'express';

/** A cookie of the settings pages. Scripts cannot read it. */
export interface PageCookie {
  read(request: Request): string | undefined;
  set(response: Response, value: string): void;
  clear(response: Response): void;
}

interface PageCookieOptions {
  readonly name: string;
  /** Ends the name. Browsers send the cookies of a host to all its ports, so other installations there have others. */
  readonly port: string;
  /** What the cookie may hold. */
  readonly pattern: RegExp;
  /** False for plain http on the user's own machine. */
  readonly isSecure: boolean;
  /** Whether other sites may show the pages in a frame. */
  readonly isFrameable: boolean;
  /** How long the browser keeps it. */
  readonly lifetimeS: number;
}

const COMMON = { httpOnly: true, path: '/' } as const;
/**
 * Browsers keep it for each embedding site apart, so no other site's page can use it. They take it only over https and
 * from localhost.
 */
const PARTITIONED: CookieOptions = { ...COMMON, sameSite: 'none', secure: true, partitioned: true };

/** Whether the browser shows the requested document in a frame. */
export const isFramed = (request: Request): boolean => /^i?frame$/.test(request.get('sec-fetch-dest') ?? '');

/** The value of a cookie. Of several with its name, one may be planted, and their order says nothing: then none. */
export function cookieIn({ headers }: Request, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return found.length === 1 ? found[0] : undefined;
}

/**
 * Browsers send the cookie only with requests from this site. In a frame of another site, they would not send such a
 * cookie, so the page has a partitioned one there.
 *
 * A browser takes a cookie whose name begins with `__Host-` only from this host itself, over https.
 */
export function createPageCookie(options: PageCookieOptions): PageCookie {
  const { pattern, port, isSecure, isFrameable, lifetimeS } = options;
  const name = `${isSecure ? '__Host-' : ''}${options.name}${port === '' ? '' : `_${port}`}`;
  const strict: CookieOptions = { ...COMMON, sameSite: 'strict', secure: isSecure };
  const kinds = isFrameable ? [strict, PARTITIONED] : [strict];
  return {
    read: (request) => {
      const value = cookieIn(request, name);
      return value !== undefined && pattern.test(value) ? value : undefined;
    },
    set: (response, value) => {
      const chosen = isFrameable && isFramed(response.req) ? PARTITIONED : strict;
      response.cookie(name, value, { ...chosen, maxAge: lifetimeS * 1000 });
      // A frame in a page of the same site gets both kinds, so the one of an earlier session must go.
      for (const other of kinds) if (other !== chosen) response.clearCookie(name, other);
    },
    clear: (response) => {
      for (const kind of kinds) response.clearCookie(name, kind);
    },
  };
}
