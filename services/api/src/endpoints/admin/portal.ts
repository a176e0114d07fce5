import { access, portalInput } from '@mailhook/core';
import { z } from 'zod';
import { DONE, gone, named } from '../answers.ts';
import { time } from './common.ts';
import { endpoint } from './endpoint.ts';

const portalLink = named('PortalLink', z.object({ url: z.string(), expiresAt: time, access }));

const tag = 'Accounts';
const path = '/admin/accounts/:account/portal';

export const portalEndpoints = [
  endpoint({
    method: 'post',
    path,
    operationId: 'createPortalLink',
    tag,
    summary: 'Create a portal link',
    description:
      'A link that opens the settings page once, signed in as this account, within 60 seconds. Its page names the ' +
      'account, and a person presses the button. The session lasts 8 hours at most. To keep the token out of access ' +
      'logs, write `#` in place of `?`; the page then needs a script. A token with the scope `portal` suffices.',
    audit: 'create portal link',
    security: 'portal_link_created',
    scope: 'portal',
    body: { schema: portalInput, example: { returnUrl: 'https://app.example.com/webhooks' }, isOptional: true },
    answer: {
      status: 201,
      text: 'The link.',
      schema: portalLink,
      example: {
        url: 'https://hooks.example.com/settings/portal?link=9p3VxJ2uQm0cS7kWZyXr1TnBd4LfEa6HiGvo8MqKt5A',
        expiresAt: '2026-01-01T00:05:00.000Z',
        access: 'manage',
      },
    },
    problems: ['not_found'],
    handle: ({ params, body, response }, { portal }) =>
      portal.createLink(params.account, body, { calledAt: response.req.socket.localAddress }),
  }),
  endpoint({
    method: 'delete',
    path,
    operationId: 'endPortalSessions',
    tag,
    summary: 'End portal sessions',
    description:
      'Ends the sessions of portal links of this account, and revokes unused links. The scope `portal` suffices.',
    audit: 'end portal sessions',
    security: 'portal_sessions_ended',
    scope: 'portal',
    answer: gone,
    problems: ['not_found'],
    handle: async ({ params }, { portal }) => {
      await portal.revoke(params.account);
      return DONE;
    },
  }),
];
