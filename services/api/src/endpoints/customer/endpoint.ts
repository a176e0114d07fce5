import { accountOf } from '../../auth/authenticate.ts';
import type { CustomerScope } from '../../auth/authenticate.ts';
import type { Services } from '../../customer-api/services.ts';
import type { Declare, Endpoint } from '../endpoint.ts';
import { endpointOf } from '../endpoint.ts';

export type CustomerEndpoint = Endpoint<Services, CustomerScope>;

/** Declares an endpoint of the public API, which requires an account's access token. */
export const endpoint: Declare<Services, { readonly account: string }, CustomerScope> = endpointOf({
  callerOf: (response) => ({ account: accountOf(response) }),
  scopeOf: (method) => (method === 'get' ? 'read' : 'manage'),
  inLine: ({ account }, services, work) => services.inLine(account, work),
});
