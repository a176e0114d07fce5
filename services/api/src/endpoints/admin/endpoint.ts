import type { DeadLetterBox } from '@mailhook/delivery';
import type { DestinationLists } from '@mailhook/insight';
import type { Scope } from '@mailhook/platform/config';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { AccessTokens } from '../../operations/access-tokens.ts';
import type { AccountChanges } from '../../operations/account-changes.ts';
import type { AccountsOverview } from '../../operations/accounts-overview.ts';
import type { DestinationActions } from '../../operations/destination-actions.ts';
import type { Discard } from '../../operations/discard.ts';
import type { ReadOperations } from '../../operations/operations-overview.ts';
import type { Portal } from '../../operations/portal.ts';
import type { ProducerTokens } from '../../operations/producer-tokens.ts';
import type { Declare, Endpoint } from '../endpoint.ts';
import { endpointOf } from '../endpoint.ts';

/** Everything that an operator can do, with checked input. */
export interface AdminServices {
  readonly accounts: AccountsOverview;
  readonly accountChanges: AccountChanges;
  readonly tokens: AccessTokens;
  readonly producerTokens: ProducerTokens;
  readonly portal: Portal;
  readonly audit: Pick<AuditLog, 'list'>;
  readonly readOperations: ReadOperations;
  readonly lists: DestinationLists;
  readonly destinations: DestinationActions;
  readonly deadLetters: Pick<DeadLetterBox, 'list' | 'redrive'>;
  readonly discard: Discard;
}

export type AdminEndpoint = Endpoint<AdminServices, Scope>;

/** Declares an endpoint of the admin API, which requires an admin token. */
export const endpoint: Declare<AdminServices, object, Scope> = endpointOf({
  callerOf: (): object => ({}),
  scopeOf: (method): Scope => (method === 'get' ? 'read' : 'admin'),
});
