import type { ListedSession, Session } from '../access.ts';
import { PAGE_PATH, section, timeOf } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

/** Who is signed in with the same token, or by portal links, and a button that ends all of these sessions. */
export const sessionsSection = ({ portal }: Session, sessions: readonly ListedSession[]): Markup =>
  section(
    {
      id: 'sessions',
      title: 'Sessions',
      lead:
        portal === undefined
          ? 'Browsers that are signed in with this access token. A session ends after an hour without use, and after 8 hours at the latest.'
          : 'Browsers in which these settings were opened from where you came. A session ends after an hour without use, and after 8 hours at the latest.',
    },
    markup`<ul class="rows card flush" id="session-list" data-part>${sessions.map(
      ({ startedAt, isCurrent }) =>
        markup`<li><p>Since ${timeOf(startedAt)}${isCurrent && markup` <span class="muted">this browser</span>`}</p></li>`,
    )}${sessions.length === 0 && markup`<li class="empty">The sessions could not be read. Try again in a minute.</li>`}</ul>
<form method="post" action="${PAGE_PATH}/sign-out" data-plain><button class="button quiet" name="everywhere" value="1">Sign out everywhere</button></form>`,
  );
