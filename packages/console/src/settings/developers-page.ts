import type { ListedSession, Session } from '../access.ts';
import { icon } from '../html/icons.ts';
import type { IconName } from '../html/icons.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { sessionsSection } from './sessions-section.ts';

const LINKS: readonly (readonly [url: string, image: IconName, title: string, text: string])[] = [
  ['/docs/guides', 'guides', 'Guides', 'From the first webhook to retries, signatures and complete receivers.'],
  ['/docs', 'developers', 'API reference', 'Everything on these pages by REST, with a form to try each call.'],
  ['/openapi.json', 'copy', 'OpenAPI document', 'For generators of clients. JSON Schemas of payloads are at /schemas.'],
];

/** The documentation, and the browsers that are signed in. */
export const developersPage = (session: Session, sessions: readonly ListedSession[]): Markup =>
  markup`<ul class="links">${LINKS.map(
    ([url, image, title, text]) =>
      markup`<li class="card">${icon(image)}<p><a class="whole" href="${url}">${title}</a><br><span class="muted">${text}</span></p></li>`,
  )}</ul>
${sessionsSection(session, sessions)}`;
