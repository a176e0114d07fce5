import type { RequestHandler, Response } from 'express';
import { withForm } from '@mailhook/platform/http-server';
import type { PageAccess } from '../access.ts';
import { PAGE_PATH } from '../html/elements.ts';
import type { PageHost } from '../page-host.ts';
import type { PageLook } from './page-frame.ts';
import { closedDocument, portalDocument, replaceDocument } from './portal-document.ts';
import { isFramed } from './session-cookie.ts';
import type { SessionCookie } from './session-cookie.ts';

interface PortalPageDeps
  extends Pick<PageAccess, 'links' | 'sessions' | 'security'>, Pick<PageHost, 'asProblem' | 'bodies' | 'clientOf'> {
  readonly cookie: SessionCookie;
  readonly look: PageLook;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const FORM_LIMIT_BYTES = 1024;

const USED =
  'This link does not work any more. A link opens these settings once, within 60 seconds. Go back and open them again from there.';

/**
 * Shows a page that sends itself. Previews, prefetches and link checkers fetch a link, but send no form, so they do not
 * use it up.
 */
export const showPortal =
  ({ look }: PortalPageDeps): RequestHandler =>
  (request, response) => {
    // Without script, the fragment is of no use. Then the link may be in the query.
    const { link = '' } = request.query;
    if (typeof link === 'string' && (request.query['link'] === undefined || TOKEN.test(link)))
      send(response, 200, portalDocument(look, link));
    else send(response, 404, closedDocument(look, 'This link is not complete. Open it again from where it came.'));
  };

/**
 * Uses the link up and opens a session in place of the browser's former one. If that one is of another account, the
 * user decides: the link may be a stranger's, whose account the user would take for the own one. In a frame it is the
 * platform's, because no other site may have a frame.
 */
export const openPortal =
  ({ links, sessions, cookie, bodies, security, look, ...host }: PortalPageDeps): RequestHandler =>
  async (request, response) => {
    const reservation = bodies.open('anonymous', host.clientOf(request));
    await withForm(request, response, { limitBytes: FORM_LIMIT_BYTES, reservation }, async ({ link = '', replace }) => {
      try {
        const isKnown = TOKEN.test(link);
        const former = cookie.read(request);
        const current = former === undefined || isFramed(request) ? undefined : await sessions.find(former);
        const offered = isKnown && current !== undefined && replace === undefined ? await links.peek(link) : undefined;
        if (offered !== undefined && offered.account !== current?.account) {
          send(response, 409, replaceDocument(look, link));
          return;
        }
        const grant = isKnown ? await links.redeem(link) : undefined;
        if (grant === undefined) {
          security.note('portal_link_refused', response);
          send(response, 410, closedDocument(look, USED));
          return;
        }
        const session = await sessions.openPortal(grant);
        security.note('portal_link_used', response, { account: grant.account });
        if (former !== undefined) await sessions.close(former);
        cookie.set(response, session);
        response.redirect(303, grant.path ?? PAGE_PATH);
      } catch (error) {
        const problem = host.asProblem(error);
        if (problem.code === 'internal_error') throw error;
        response.set(problem.headers);
        send(response, problem.status, portalDocument(look, link, 'Mailhook cannot open the settings at the moment.'));
      }
    });
  };

const send = (response: Response, status: number, document: string): void =>
  void response.status(status).set('content-type', 'text/html; charset=utf-8').end(document);
