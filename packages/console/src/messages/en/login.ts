import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';

/** Login, headers and pace of an endpoint. */
export const login = {
  title: 'Login and headers',
  sendsNone: ({ address }: { address: Content }) =>
    html`Mailhook sends no login and no headers that you set to ${address}. With another host or port in the address,
    enter them again.`,
  sends: ({ names, address }: { names: Content; address: Content }) =>
    html`Mailhook sends ${names} (values stay hidden) to ${address}. With another host or port in the address, enter
    them again.`,
  otherHeaders: 'Other headers',
  otherHeadersHint: 'One per line, such as x-team: mail. A name alone keeps its stored value.',
  save: 'Save login and headers',
  saving: 'Saving…',
  login: 'Login',
  keep: 'Keep the stored login',
  stored: 'a stored login',
  none: 'No login',
  bearer: 'Bearer token',
  basic: 'User and password',
  user: 'User',
  password: 'Token or password',
  lead:
    'For servers that want a login, or route by a header. Every request to this endpoint has the headers, tests ' +
    'too.',
};
