import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';

/** Login, headers and pace of an endpoint. */
export const login = {
  title: 'Login and headers',
  sends: ({ names }: { names: Content }) =>
    html`Mailhook sends ${names}. Values stay hidden. With another host or port in the address, enter them again.`,
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
  lead: 'For servers that want a login, or route by a header. Tests have them too.',
};
