import type { Request, RequestHandler } from 'express';
import { withForm } from '@mailhook/platform/http-server';
import type { PageAccess } from '../access.ts';
import { PAGE_PATH } from '../html/elements.ts';
import { isFramed } from '../html/page-cookie.ts';
import type { PageCookie } from '../html/page-cookie.ts';
import { sendHtml } from '../html/send-html.ts';
import { texts } from '../messages/texts.ts';
import type { PageHost } from '../page-host.ts';
import type { PageLook } from './page-frame.ts';
import { closedDocument, portalDocument, replaceDocument } from './portal-document.ts';
import type { Readers } from './readers.ts';

interface PortalPageDeps
  extends Pick<PageAccess, 'links' | 'sessions' | 'security'>, Pick<PageHost, 'asProblem' | 'bodies' | 'clientOf'> {
  readonly cookie: PageCookie;
  readonly readers: Readers;
  readonly lookOf: (request: Request) => PageLook;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const FORM_LIMIT_BYTES = 1024;

/**
 * Shows a page that sends itself. Previews, prefetches and link checkers fetch a link, but send no form, so they do not
 * use it up.
 */
export const showPortal =
  ({ lookOf }: PortalPageDeps): RequestHandler =>
  (request, response) => {
    const look = lookOf(request);
    // Without script, the fragment is of no use. Then the link may be in the query.
    const { link = '' } = request.query;
    if (typeof link === 'string' && (request.query['link'] === undefined || TOKEN.test(link)))
      sendHtml(response, look.reader, 200, portalDocument(look, link));
    else sendHtml(response, look.reader, 404, closedDocument(look, texts.access.incompleteLink));
  };

/**
 * Uses the link up and opens a session in place of the browser's former one. If that one is of another account, the
 * user decides: the link may be a stranger's, whose account the user would take for the own one. In a frame it is the
 * platform's, because no other site may have a frame.
 */
export const openPortal =
  ({ links, sessions, cookie, bodies, security, lookOf, readers, ...host }: PortalPageDeps): RequestHandler =>
  async (request, response) => {
    const look = lookOf(request);
    const send = (status: number, document: string): void => sendHtml(response, look.reader, status, document);
    const reservation = bodies.open('anonymous', host.clientOf(request));
    await withForm(request, response, { limitBytes: FORM_LIMIT_BYTES, reservation }, async ({ link = '', replace }) => {
      try {
        const isKnown = TOKEN.test(link);
        const former = cookie.read(request);
        const current = former === undefined || isFramed(request) ? undefined : await sessions.find(former);
        const offered = isKnown && current !== undefined && replace === undefined ? await links.peek(link) : undefined;
        if (offered !== undefined && offered.account !== current?.account) {
          send(409, replaceDocument(look, link));
          return;
        }
        const grant = isKnown ? await links.redeem(link) : undefined;
        if (grant === undefined) {
          security.note('portal_link_refused', response);
          send(410, closedDocument(look, texts.access.usedLink));
          return;
        }
        const session = await sessions.openPortal(grant);
        security.note('portal_link_used', response, { account: grant.account });
        if (former !== undefined) await sessions.close(former);
        cookie.set(response, session);
        readers.choose(response, grant.language);
        response.redirect(303, grant.path ?? PAGE_PATH);
      } catch (error) {
        const problem = host.asProblem(error);
        if (problem.code === 'internal_error') throw error;
        response.set(problem.headers);
        send(problem.status, portalDocument(look, link, texts.access.openingAway));
      }
    });
  };
