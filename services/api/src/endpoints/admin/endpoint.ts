import type { OperatorServices } from '@mailhook/core';
import type { Scope } from '@mailhook/platform/config';
import type { AccountChanges } from '../../operations/account-changes.ts';
import type { Declare, Endpoint } from '../endpoint.ts';
import { endpointOf } from '../endpoint.ts';

/** What the admin API does: what the pages do, and more with accounts. */
export interface AdminServices extends OperatorServices {
  readonly accountChanges: AccountChanges;
}

export type AdminEndpoint = Endpoint<AdminServices, Scope>;

/** Declares an endpoint of the admin API, which requires an admin token. */
export const endpoint: Declare<AdminServices, object, Scope> = endpointOf({
  callerOf: (): object => ({}),
  scopeOf: (method): Scope => (method === 'get' ? 'read' : 'admin'),
});
