import type { Response } from 'express';
import type { LabeledSecret } from '@mailhook/platform/config';
import { hashToken } from '../accounts/tokens.ts';

/** Who an admin token stands for. */
export interface Operator {
  readonly label: string | undefined;
}

/** The tokens in `ADMIN_TOKEN`. */
export interface AdminTokens {
  /** Undefined for a wrong token. */
  find(token: string): Operator | undefined;
  /** From now on, only these tokens are correct. */
  replace(tokens: readonly LabeledSecret[]): void;
}

export function createAdminTokens(tokens: readonly LabeledSecret[]): AdminTokens {
  // Looked up by digest, so that the time of a lookup says nothing about a token.
  let known: ReadonlyMap<string, Operator>;
  const replace = (current: readonly LabeledSecret[]): void => {
    known = new Map(current.map(({ label, secret }) => [hashToken(secret), { label }]));
  };
  replace(tokens);
  return { find: (token) => known.get(hashToken(token)), replace };
}

/** Notes who makes a request, for `operatorOf`. */
export const noteOperator = (response: Response, { label }: Operator): void => {
  Object.assign(response.locals, { operator: label });
};

/** Who makes a request that was signed in with an admin token, for the audit log. */
export const operatorOf = (response: Response) => ({
  actor: 'operator' as const,
  token: (response.locals as { readonly operator?: string }).operator,
});
