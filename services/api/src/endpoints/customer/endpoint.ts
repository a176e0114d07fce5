import type { UsedToken } from '@mailhook/core';
import { accountOf, tokenOf } from '../../auth/authenticate.ts';
import type { CustomerScope } from '../../auth/authenticate.ts';
import type { Services } from '../../customer-api/services.ts';
import type { Declare, Endpoint } from '../endpoint.ts';
import { endpointOf } from '../endpoint.ts';

export type CustomerEndpoint = Endpoint<Services, CustomerScope>;

interface Caller {
  readonly account: string;
  readonly token: UsedToken | undefined;
}

/** Declares an endpoint of the public API, which requires an account's access token. */
export const endpoint: Declare<Services, Caller, CustomerScope> = endpointOf({
  callerOf: (response): Caller => ({ account: accountOf(response), token: tokenOf(response) }),
  scopeOf: (method) => (method === 'get' ? 'read' : 'manage'),
  inLine: ({ account }, services, work) => services.inLine(account, work),
});
