import { destinationSettingsInput } from '@mailhook/core';
import type { HeaderInput, VersionedSettings } from '@mailhook/core';
import { invalid, parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { actionButton, formField, hidden, section } from '../../html/elements.ts';
import { listOf } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { done } from '../../page/outcome.ts';
import { action } from '../family.ts';
import type { CustomerActions } from '../family.ts';
import { errorsOf, ifPartOf, madeFrom } from '../shared/made-from.ts';
import type { Outcome } from '../../page/outcome.ts';
import { showLoaded } from '../shared/page-parts.ts';
import { valueOf } from '../loaded.ts';
import type { EndpointView } from './view.ts';

type Errors = NonNullable<Outcome['errors']>;

const SAVE_SETTINGS = 'save-settings';

/** The login and the other custom headers of one destination. Stored values are never shown. */
export function loginSection(
  destination: string,
  view: Pick<EndpointView, 'settings'>,
  outcome: Outcome | undefined,
): Markup {
  // Typed input is shown again, even if the saved settings cannot be read.
  const isTyped = outcome?.place === 'login' && outcome.draft !== undefined;
  const settingsForm = isTyped
    ? form(destination, valueOf(view.settings)?.get(destination), outcome)
    : showLoaded(view.settings, (all) => form(destination, all.get(destination), outcome));
  return section(
    {
      id: 'login',
      title: texts.login.title,
      lead: texts.login.lead,
    },
    html`<div class="card" id="login-card" data-part${isTyped && html` data-keep`}>${settingsForm}</div>`,
  );
}

function form(destination: string, settings: VersionedSettings | undefined, outcome: Outcome | undefined): Markup {
  const names = Object.keys(settings?.settings.headers ?? {});
  const draft = outcome?.place === 'login' ? outcome.draft : undefined;
  const others = names.filter((name) => name !== 'authorization');
  const saved = {
    login: names.includes('authorization') ? 'keep' : 'none',
    user: '',
    password: '',
    headers: others.join('\n'),
  };
  const words = { login: saved.login === 'keep' ? texts.login.stored : texts.login.none };
  const errors = draft === undefined ? {} : errorsOf(outcome, saved, words);
  return html`<form method="post" novalidate data-guard>
    ${hidden('destination', destination)}${madeFrom(settings?.headersEtag ?? '', saved, draft)}
    ${names.length > 0 && html`<p>${texts.login.sends({ names: listOf(names) })}</p>`}
    ${loginFields(saved.login, draft, errors)}
    ${formField({
      id: 'login-headers',
      label: texts.login.otherHeaders,
      hint: texts.login.otherHeadersHint,
      error: headerErrors(errors),
      control: (attributes) =>
        html`<textarea
          ${attributes}
          name="headers"
          rows="3"
          spellcheck="false"
          autocomplete="off"
          data-saved="${saved.headers}"
        >
${draft?.['headers'] ?? saved.headers}</textarea>`,
    })}
    <div class="actions">
      ${actionButton({ id: 'login-save', value: SAVE_SETTINGS, text: texts.login.save, busy: texts.login.saving })}
    </div>
  </form>`;
}

function loginFields(saved: string, draft: Readonly<Record<string, string>> | undefined, errors: Errors): Markup {
  const chosen = draft?.['login'] ?? saved;
  const kinds = [
    ...(saved === 'keep' ? [['keep', texts.login.keep] as const] : []),
    ...([
      ['none', texts.login.none],
      ['bearer', texts.login.bearer],
      ['basic', texts.login.basic],
    ] as const),
  ];
  return html`${formField({
      id: 'login-kind',
      label: texts.login.login,
      error: errors['login'],
      control: (attributes) =>
        html`<select ${attributes} name="login" data-saved="${saved}">
          ${kinds.map(
            ([kind, text]) => html`<option value="${kind}" ${kind === chosen && html`selected`}>${text}</option>`,
          )}
        </select>`,
    })}
    <div class="pair">
      ${formField({
        id: 'login-user',
        label: texts.login.user,
        error: errors['user'],
        control: (attributes) =>
          html`<input
            ${attributes}
            name="user"
            autocomplete="off"
            spellcheck="false"
            data-saved=""
            value="${draft?.['user'] ?? ''}"
          />`,
      })}
      ${formField({
        id: 'login-password',
        label: texts.login.password,
        error: errors['password'],
        control: (attributes) =>
          html`<input ${attributes} name="password" type="password" autocomplete="new-password" />`,
      })}
    </div>`;
}

/** Errors of single headers stand at the list of headers, with their names. */
function headerErrors(errors: Errors): Content {
  const found = Object.entries(errors).flatMap(([path, message]) => {
    if (path === 'headers') return [message];
    return path.startsWith('headers.') ? [[`(${path.slice('headers.'.length)}) `, message]] : [];
  });
  return found.length === 0 ? undefined : found.map((one, i) => [i > 0 && '; ', one]);
}

/** The headers that the form asks for. Throws a 422 that names the field. */
function headersOf(form: FormFields): Record<string, HeaderInput> {
  const lines = (form['headers'] ?? '').split('\n').filter((line) => line.trim() !== '');
  const others = lines.map((line): [string, HeaderInput] => {
    const colon = line.indexOf(':');
    const [name, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1)];
    if (colon >= 0 && value.trim() === '') {
      const message = 'has no value after the colon; to keep the stored value, enter the name alone';
      throw invalid([{ path: `headers.${name.trim().toLowerCase()}`, message }]);
    }
    return [name.trim().toLowerCase(), colon < 0 ? true : value.trim()];
  });
  const login = loginOf(form);
  if (login !== undefined && others.some(([name]) => name === 'authorization')) {
    throw invalid([{ path: 'headers', message: 'must not repeat authorization, which is the login above' }]);
  }
  return { ...(login === undefined ? {} : { authorization: login }), ...Object.fromEntries(others) };
}

function loginOf(form: FormFields): HeaderInput | undefined {
  const { login = 'none', user = '', password = '' } = form;
  if (login === 'keep') return true;
  if (login === 'none') return undefined;
  if (login === 'basic' && user.trim() === '') throw invalid([{ path: 'user', message: 'is required' }]);
  if (password.trim() === '') throw invalid([{ path: 'password', message: 'is required' }]);
  // As RFC 7617 has it, in UTF-8.
  return login === 'basic'
    ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    : `Bearer ${password.trim()}`;
}

/** The button of the section. */
export const loginActions: CustomerActions = {
  [SAVE_SETTINGS]: action({
    audit: 'change headers',
    place: 'login',
    input: (form) => parseOrThrow(destinationSettingsInput, { headers: headersOf(form) }),
    run: async ({ api, account, form, input, onUnchanged }) => {
      const { destination = '' } = form;
      const { etag, headersEtag } = await api.destinationSettings.read(account, destination);
      const ifVersion = ifPartOf(form, headersEtag, etag);
      const { headers } = await api.destinationSettings.write(account, destination, input, onUnchanged, ifVersion);
      const { outcomes } = texts;
      const names = Object.keys(headers);
      return done(names.length === 0 ? outcomes.sendsNoHeaders : outcomes.sendsHeaders({ names: listOf(names) }));
    },
  }),
};
