import type { CookieOptions, Request, Response } from 'express';
import { SESSION_S } from './sessions.ts';

/** The session's cookie. Scripts cannot read it, and browsers send it only with requests from this site. */
export interface SessionCookie {
  read(request: Request): string | undefined;
  set(response: Response, session: string): void;
  clear(response: Response): void;
}

const NAME = 'mailhook_session';
const VALUE = /(?:^|;)\s*mailhook_session=([A-Za-z0-9_-]{43})\s*(?:;|$)/;

/** @param isSecure whether browsers reach the page by https only. */
export function createSessionCookie(isSecure: boolean): SessionCookie {
  const options: CookieOptions = { httpOnly: true, sameSite: 'strict', secure: isSecure, path: '/settings' };
  return {
    read: ({ headers }) => VALUE.exec(headers.cookie ?? '')?.[1],
    set: (response, session) => void response.cookie(NAME, session, { ...options, maxAge: SESSION_S * 1000 }),
    clear: (response) => void response.clearCookie(NAME, options),
  };
}
