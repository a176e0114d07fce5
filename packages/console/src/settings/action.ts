import type { CustomerServices } from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import type { PageHost } from '../page-host.ts';
import type { Outcome, OutcomePlace } from './outcome.ts';

export interface ActionDeps extends Pick<PageHost, 'asProblem' | 'audit' | 'logger'> {
  readonly api: CustomerServices;
}

export interface ActionRequest {
  readonly account: string;
  readonly form: FormFields;
  readonly place: OutcomePlace;
  /** For the audit log. */
  readonly onUnchanged: () => void;
}

/** What a button of the page does. */
export type Action = (deps: ActionDeps, request: ActionRequest) => Promise<Outcome>;

export const field = (form: FormFields, name: string): string => form[name] ?? '';
