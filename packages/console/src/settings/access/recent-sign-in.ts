import type { Session } from '@mailhook/core';
import type { FormFields, ProblemError } from '@mailhook/platform/http-server';
import type { Response } from 'express';
import { formField } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { PageAccess, PageHost } from '../../page-host.ts';
import { ADD_ALERT } from '../alerts/content.ts';
import { asks, refused } from '../../page/outcome.ts';
import type { Said } from '../../page/outcome.ts';

const RECENT_MS = 15 * 60_000;
/** A longer text is no token, and tokens are hashed. */
const TOKEN_CHARACTERS_MAX = 1000;

/** Whether the person has signed in, or pressed the button of a portal link, within 15 minutes. */
export const isRecent = ({ startedMs }: Session, nowMs: number): boolean => nowMs - startedMs < RECENT_MS;

/** A token that was copied from an example of the API may begin with `Bearer`. Empty if it cannot be a token. */
export function typedToken(text = ''): string {
  const token = text.trim().replace(/^bearer +/i, '');
  return token.length > TOKEN_CHARACTERS_MAX ? '' : token;
}

interface Deps extends Pick<PageAccess, 'signIn' | 'security'>, Pick<PageHost, 'asProblem'> {
  readonly now: () => number;
}

/**
 * Before a button whose effect outlives a session. Undefined if it may go on: the sign-in is recent, or the form has an
 * access token of the account that may manage. Otherwise the page asks for the token. Who came by a portal link has
 * none, and gets a new link.
 */
export async function askWhoItIs(
  deps: Deps,
  session: Session,
  form: FormFields,
  response: Response,
): Promise<Said | undefined> {
  if (isRecent(session, deps.now())) return undefined;
  const token = typedToken(form['accessToken']);
  if (token === '')
    return session.portal === undefined ? asksForToken(form) : refused(403, texts.access.openAgain, { draft: form });
  try {
    const { account, access } = await deps.signIn(token, response.req);
    if (account === session.account && access === 'manage') return undefined;
    return asksForToken(form, texts.access.notThisToken);
  } catch (error) {
    const problem = deps.asProblem(error);
    if (problem.code === 'internal_error') throw error;
    deps.security.noteRefusal(problem, response);
    return asksForToken(form, faultOf(problem));
  }
}

const faultOf = ({ code }: ProblemError): Content =>
  code === 'unauthorized' ? texts.access.unknownToken : texts.access.checkAway;

function asksForToken(form: FormFields, error?: Content): Said {
  const { do: value = '', accessToken: _token, ...fields } = form;
  const dialog = {
    title: texts.access.whoIsIt,
    lines: [texts.access.whoIsItText],
    fields,
    control: tokenField(error),
    buttons: [
      {
        id: 'confirm-identity',
        value,
        text: texts.access.continue,
        busy: texts.access.continue,
        look: 'primary' as const,
      },
    ],
    ...(value === ADD_ALERT ? { about: 'new-alert' } : {}),
  };
  return { ...asks(dialog), isGood: false, status: 403, draft: fields };
}

const tokenField = (error: Content | undefined): Markup =>
  formField({
    id: 'access-token',
    label: texts.access.accessToken,
    ...(error === undefined ? {} : { error }),
    control: (attributes) =>
      html`<input ${attributes} name="accessToken" type="password" autocomplete="current-password" required />`,
  });
