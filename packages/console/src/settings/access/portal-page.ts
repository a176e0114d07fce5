import type { PortalGrant, Session } from '@mailhook/core';
import type { Request, RequestHandler, Response } from 'express';
import { withForm } from '@mailhook/platform/http-server';
import { PAGE_PATH } from '../../html/elements.ts';
import { isFramed } from '../../html/page-cookie.ts';
import type { PageCookie } from '../../html/page-cookie.ts';
import { sendHtml } from '../../html/send-html.ts';
import { texts } from '../../messages/texts.ts';
import type { PageAccess, PageHost } from '../../page-host.ts';
import type { PageLook } from '../shared/page-frame.ts';
import { closedDocument, portalDocument, replaceDocument, unknownLinkDocument } from './portal-document.ts';
import { isRecent } from './recent-sign-in.ts';
import type { Readers } from './readers.ts';
import { browserOf } from './sign-in.ts';

interface PortalPageDeps
  extends
    Pick<PageAccess, 'links' | 'sessions' | 'security'>,
    Pick<PageHost, 'asProblem' | 'bodies' | 'clientOf' | 'originOf'> {
  readonly cookie: PageCookie;
  readonly readers: Readers;
  readonly lookOf: (request: Request) => PageLook;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const FORM_LIMIT_BYTES = 1024;

/**
 * Shows whose settings the link opens. That changes nothing: previews, prefetches and scanners of mail fetch a link and
 * run the scripts of its page, and only the button uses the link up.
 */
export const showPortal =
  (deps: PortalPageDeps): RequestHandler =>
  async (request, response) => {
    const look = deps.lookOf(request);
    const { link } = request.query;
    // Without a query, the link may be in the fragment.
    if (link === undefined) sendHtml(response, look.reader, 200, unknownLinkDocument(look, ''));
    else if (typeof link === 'string' && TOKEN.test(link)) await showLink(deps, response, link, true);
    else sendHtml(response, look.reader, 404, closedDocument(look, texts.access.incompleteLink, isFramed(request)));
  };

async function showLink(deps: PortalPageDeps, response: Response, link: string, mayGoOn: boolean): Promise<void> {
  const { links, sessions, cookie, lookOf } = deps;
  const look = lookOf(response.req);
  await orSayWhyNot(deps, response, link, async () => {
    const grant = TOKEN.test(link) ? await links.peek(link) : undefined;
    if (grant === undefined) refuse(deps, response);
    else {
      const former = mayGoOn ? cookie.read(response.req) : undefined;
      const session = former === undefined ? undefined : await sessions.find(former);
      if (session !== undefined && isEnough(session, grant, deps.now()))
        response.redirect(303, grant.path ?? PAGE_PATH);
      else sendHtml(response, look.reader, 200, portalDocument(look, link, grant.name));
    }
  });
}

/**
 * Whether the browser has just what the link would open, so that nobody must press its button again. A platform's frame
 * gets a new link with every view. The session stays as old as it is, and the link unused.
 */
const isEnough = (session: Session, grant: PortalGrant, nowMs: number): boolean =>
  session.portal !== undefined &&
  isRecent(session, nowMs) &&
  session.account === grant.account &&
  session.operator?.token === grant.operator?.token &&
  session.operator?.person === grant.operator?.person &&
  session.access === (grant.access ?? 'manage') &&
  session.portal.returnUrl === grant.returnUrl &&
  grant.sessionExpiresAt === undefined;

function refuse({ security, lookOf }: PortalPageDeps, response: Response): void {
  const look = lookOf(response.req);
  security.note('portal_link_refused', response);
  sendHtml(response, look.reader, 410, closedDocument(look, texts.access.usedLink, isFramed(response.req)));
}

/** While Redis is away, the page keeps the link for another try. */
async function orSayWhyNot(
  { asProblem, lookOf }: PortalPageDeps,
  response: Response,
  link: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const problem = asProblem(error);
    if (problem.code === 'internal_error') throw error;
    const look = lookOf(response.req);
    response.set(problem.headers);
    sendHtml(response, look.reader, problem.status, unknownLinkDocument(look, link, texts.access.openingAway));
  }
}

/**
 * Uses the link up and opens a session in place of the browser's former one. If that one is of another account, the
 * user decides: the link may be a stranger's, whose account the user would take for the own one. In a frame it is the
 * platform's, because no other site may have a frame. With the field `show`, only shows whose settings the link opens.
 */
export const openPortal =
  (deps: PortalPageDeps): RequestHandler =>
  async (request, response) => {
    const { links, sessions, cookie, bodies, security, lookOf, readers } = deps;
    const look = lookOf(request);
    const reservation = bodies.open('anonymous', deps.clientOf(request));
    const rules = { limitBytes: FORM_LIMIT_BYTES, reservation };
    await withForm(request, response, rules, async ({ link = '', replace, show }) => {
      if (show !== undefined) return showLink(deps, response, link, false);
      return orSayWhyNot(deps, response, link, async () => {
        const isKnown = TOKEN.test(link);
        const former = cookie.read(request);
        const current = former === undefined || isFramed(request) ? undefined : await sessions.find(former);
        const offered = isKnown && current !== undefined && replace === undefined ? await links.peek(link) : undefined;
        if (offered !== undefined && offered.account !== current?.account) {
          sendHtml(response, look.reader, 409, replaceDocument(look, link, offered.name));
          return;
        }
        const grant = isKnown ? await links.redeem(link) : undefined;
        if (grant === undefined) {
          refuse(deps, response);
          return;
        }
        const session = await sessions.openPortal(grant, browserOf(deps, request, response));
        security.note('portal_link_used', response, { account: grant.account });
        if (former !== undefined) await sessions.close(former);
        cookie.set(response, session);
        readers.choose(response, grant.language);
        response.redirect(303, grant.path ?? PAGE_PATH);
      });
    });
  };
