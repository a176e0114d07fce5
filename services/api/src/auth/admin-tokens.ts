import type { Response } from 'express';
import type { LabeledSecret, Scope } from '@mailhook/platform/config';
import { ProblemError } from '@mailhook/platform/http-server';
import { hashToken } from '../accounts/tokens.ts';
import type { PersonLocals } from './operator-header.ts';

/** Who an admin token stands for, and what it may do. */
export type Operator = Pick<LabeledSecret, 'label' | 'scope'>;

/** The tokens in `ADMIN_TOKEN`. */
export interface AdminTokens {
  /** Undefined for a wrong token. */
  find(token: string): Operator | undefined;
  /** All of them, without the tokens. */
  list(): readonly Operator[];
  /** From now on, only these tokens are correct. */
  replace(tokens: readonly LabeledSecret[]): void;
}

/** @param onUse gets the label of each token that is used. */
export function createAdminTokens(
  tokens: readonly LabeledSecret[],
  onUse: (label: string) => void = () => undefined,
): AdminTokens {
  // Looked up by digest, so that the time of a lookup says nothing about a token.
  let known: ReadonlyMap<string, Operator>;
  const replace = (current: readonly LabeledSecret[]): void => {
    known = new Map(current.map(({ secret, label, scope }) => [hashToken(secret), { label, scope }]));
  };
  replace(tokens);
  return {
    find(token) {
      const found = known.get(hashToken(token));
      if (found !== undefined) onUse(found.label ?? '');
      return found;
    },
    list: () => [...known.values()],
    replace,
  };
}

/**
 * Lets an operator's request pass and notes who makes it, for `operatorOf`. Throws a 403 if the token has neither the
 * scope that the request needs nor the scope `admin`.
 */
export function admit(response: Response, { label, scope }: Operator, needed: Scope): void {
  Object.assign(response.locals, { operator: label });
  if (scope !== 'admin' && scope !== needed) {
    const allowed = needed === 'admin' ? 'the scope admin' : `the scope ${needed} or admin`;
    throw insufficientScope(needed, `This token has the scope ${scope}. Use one with ${allowed} here.`);
  }
}

/** A 403 for a valid token that may not do this. Clients find the scope in the header, too (RFC 6750). */
export const insufficientScope = (needed: string, detail: string): ProblemError =>
  new ProblemError('insufficient_scope', {
    detail,
    headers: { 'www-authenticate': `Bearer realm="mailhook", error="insufficient_scope", scope="${needed}"` },
  });

/** Who makes a request that was signed in with an admin token, for the audit log. */
export function operatorOf(response: Response) {
  const { operator, person } = response.locals as PersonLocals & { readonly operator?: string };
  return { actor: 'operator' as const, token: operator, person };
}
