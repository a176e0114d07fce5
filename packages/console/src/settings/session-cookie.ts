import type { CookieOptions, Request, Response } from 'express';

/** The session's cookie. Scripts cannot read it. */
export interface SessionCookie {
  read(request: Request): string | undefined;
  set(response: Response, session: string): void;
  clear(response: Response): void;
}

const NAME = 'mailhook_session';
const SESSION = /^[A-Za-z0-9_-]{43}$/;
const COMMON = { httpOnly: true, path: '/' } as const;
/**
 * Browsers keep it for each embedding site apart, so no other site's page can use it. They take it only over https and
 * from localhost.
 */
const PARTITIONED: CookieOptions = { ...COMMON, sameSite: 'none', secure: true, partitioned: true };

/** Whether the browser shows the requested document in a frame. */
export const isFramed = (request: Request): boolean => /^i?frame$/.test(request.get('sec-fetch-dest') ?? '');

/**
 * Browsers send the cookie only with requests from this site. In a frame of another site, they would not send such a
 * cookie, so the page has a partitioned one there.
 *
 * A browser takes a cookie whose name begins with `__Host-` only from this host itself, over https.
 *
 * @param isSecure false for plain http on the user's own machine.
 * @param isFrameable whether other sites may show the page in a frame.
 * @param lifetimeS how long the browser keeps it.
 */
export function createSessionCookie({
  isSecure,
  isFrameable,
  lifetimeS,
}: Record<'isSecure' | 'isFrameable', boolean> & { readonly lifetimeS: number }): SessionCookie {
  const name = isSecure ? `__Host-${NAME}` : NAME;
  const strict: CookieOptions = { ...COMMON, sameSite: 'strict', secure: isSecure };
  const kinds = isFrameable ? [strict, PARTITIONED] : [strict];
  return {
    read: ({ headers }) => {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
      const found = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
      // Of several, one may be planted, and their order says nothing.
      return found.length === 1 && SESSION.test(found[0] ?? '') ? found[0] : undefined;
    },
    set: (response, session) => {
      const chosen = isFrameable && isFramed(response.req) ? PARTITIONED : strict;
      response.cookie(name, session, { ...chosen, maxAge: lifetimeS * 1000 });
      // A frame in a page of the same site gets both kinds, so the one of an earlier session must go.
      for (const other of kinds) if (other !== chosen) response.clearCookie(name, other);
    },
    clear: (response) => {
      for (const kind of kinds) response.clearCookie(name, kind);
    },
  };
}
