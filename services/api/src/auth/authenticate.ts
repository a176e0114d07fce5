import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { StoreUnavailableError } from '@mailhook/core';
import type { UsedToken } from '@mailhook/core';
import type { Scope } from '@mailhook/platform/config';
import { ProblemError } from '@mailhook/platform/http-server';
import { clientAddressOf } from './client-address.ts';
import { hashToken } from '../accounts/tokens.ts';
import type { Producer, ProducerTokens } from '../accounts/producer-tokens.ts';
import type { AccessToken, TokenDirectory } from '../accounts/token-directory.ts';
import type { AdminTokens } from './admin-tokens.ts';
import { admit, insufficientScope } from './admin-tokens.ts';
import type { RequestLimits } from './request-limits.ts';
import type { SecurityEvents, SecuritySubject } from './security-events.ts';
import type { SignInAttempts, TokenKind } from './sign-in-attempts.ts';

/** What a request of a customer needs: `manage` if it changes or sends something. */
export type CustomerScope = AccessToken['access'];

export interface AuthenticateDeps {
  readonly tokens: Pick<TokenDirectory, 'find'>;
  readonly producerTokens: Pick<ProducerTokens, 'find' | 'findNow'>;
  readonly adminTokens: Pick<AdminTokens, 'find'>;
  readonly attempts: SignInAttempts;
  readonly limits: Pick<RequestLimits, 'admit'>;
  readonly security: Pick<SecurityEvents, 'note'>;
}

export interface Authenticate {
  /**
   * Lets customers' tokens that have the scope pass within their limits, and stores the account for `accountOf` and
   * `customerOf`.
   */
  readonly customer: (scope: CustomerScope) => RequestHandler;
  /** Resolves with a customer's token, from a header or a form. A wrong one is a 401, or a 429 after many. */
  readonly signIn: (token: string | undefined, request: Request) => Promise<AccessToken>;
  /** Lets admin tokens that have the scope pass at the operations port, and stores the operator for `operatorOf`. */
  readonly admin: (scope: Scope) => RequestHandler;
  /** Resolves with the producer of a request. The 401 for a customer's token says that it is of another kind. */
  readonly producer: (request: Request) => Promise<Producer>;
  /** The producer of a request, if its address uses the token already. Synchronous, for the intake's hot path. */
  readonly knownProducer: (request: IncomingMessage, address: string) => Producer | undefined;
}

/**
 * Checks the three kinds of bearer token. The public port treats an operator's token in the wrong place like a
 * wrong token. A different answer would show a guesser that the token is valid (docs/decisions/0020).
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { tokens, producerTokens, adminTokens, attempts, limits } = deps;
  const identify = createIdentify(deps);
  const signIn: Authenticate['signIn'] = (token, request) =>
    identify(
      'customer',
      token,
      request,
      (given) => tokens.find(given),
      () => undefined,
    );
  return {
    customer: (scope) => async (request, response, next) => {
      const token = await identify(
        'customer',
        bearerToken(request),
        request,
        (given) => tokens.find(given),
        ({ account, name }) => ({ account, token: name }),
      );
      const { account, name, id, expiresAt } = token;
      Object.assign(response.locals, { account, token: name, used: { id, expiresAt } } satisfies Locals);
      limits.admit(response, token.account, token.name);
      if (token.access === 'read' && scope !== 'read') throw readOnly();
      next();
    },
    signIn,
    admin: (scope) => async (request, response, next) => {
      const found = await identify(
        'operator',
        bearerToken(request),
        request,
        async (token) => {
          const operator = adminTokens.find(token);
          if (operator !== undefined) return operator;
          const producer = await producerTokens.find(token).catch(ignoreUnavailableStore);
          return producer === undefined ? undefined : 'producer';
        },
        (operator) => (operator === 'producer' ? undefined : { operator: operator.label }),
      );
      if (found === 'producer') throw new ProblemError('forbidden', { detail: wrongKind('the admin token') });
      admit(response, found, scope);
      next();
    },
    producer: (request) =>
      identify(
        'producer',
        bearerToken(request),
        request,
        (token) => producerTokens.find(token),
        ({ token }) => ({ token }),
        async (token) =>
          (await tokens.find(token).catch(ignoreUnavailableStore)) === undefined
            ? undefined
            : wrongKind('a producer token'),
      ),
    knownProducer: (request, address) => {
      const token = bearerToken(request);
      const producer = token === undefined ? undefined : producerTokens.findNow(token);
      return producer !== undefined && attempts.isInUse(address, hashToken(token ?? '')) ? producer : undefined;
    },
  };
}

/**
 * Resolves with the identity that `verify` finds. Refuses a missing token without counting it, because it is not a
 * guess. `subjectOf` says whose sign-in to note when an address begins to use a token. `explain` may say what is wrong
 * with a token.
 */
const createIdentify =
  ({ attempts, security }: Pick<AuthenticateDeps, 'attempts' | 'security'>) =>
  async <Identity>(
    kind: TokenKind,
    token: string | undefined,
    request: Request,
    verify: (token: string) => Promise<Identity | undefined> | Identity | undefined,
    subjectOf: (identity: Identity) => SecuritySubject | undefined,
    explain?: (token: string) => Promise<string | undefined>,
  ): Promise<Identity> => {
    const identity =
      token === undefined
        ? undefined
        : await attempts.run({
            address: clientAddressOf(request),
            kind,
            tokenHash: hashToken(token),
            verify: () => verify(token),
            onFirstUse: (found) => {
              const subject = subjectOf(found);
              if (subject !== undefined) security.note('sign_in', responseTo(request), subject);
            },
          });
    if (identity !== undefined) return identity;
    throw unauthorized(kind, token, token === undefined ? undefined : await explain?.(token));
  };

/**
 * While the store is down, the intake treats a customer's token as wrong. A 503 would set it apart from a producer's
 * token.
 */
function ignoreUnavailableStore(error: unknown): undefined {
  if (!(error instanceof StoreUnavailableError)) throw error;
}

/** Express names the response in each request. */
const responseTo = ({ res }: Request): Response => res as Response;

const TOKEN_NAMES: Readonly<Record<TokenKind, string>> = {
  customer: 'access token',
  producer: 'producer token',
  operator: 'admin token',
};

const unauthorized = (kind: TokenKind, token: string | undefined, fault: string | undefined): ProblemError =>
  new ProblemError('unauthorized', {
    detail: fault ?? `Send a valid ${TOKEN_NAMES[kind]} as Authorization: Bearer <token>.`,
    reason: token === undefined ? 'token_missing' : 'sign_in_failed',
    headers: { 'www-authenticate': 'Bearer realm="mailhook"' },
  });

/** A 403 for a token or a session with the access `read`. */
const readOnly = (): ProblemError =>
  insufficientScope('manage', 'This access is for reading only. Ask for one that may manage webhooks.');

interface Locals {
  account?: string;
  /** Label or id of the access token. */
  token?: string;
  used?: UsedToken;
}

/** Who makes a request that passed `customer`. */
export const customerOf = (response: Response) => ({
  ...({ actor: 'customer', via: 'API', account: accountOf(response) } as const),
  token: (response.locals as Locals).token,
});

/** The access token of a request that passed `customer`. */
export const tokenOf = (response: Response): UsedToken | undefined => (response.locals as Locals).used;

/** The account of a request that passed `customer`. */
export function accountOf(response: Response): string {
  const { account } = response.locals as Locals;
  if (account === undefined) throw new Error('this route is not behind a sign-in');
  return account;
}

const wrongKind = (wanted: string): string => `This token is of another kind; use ${wanted} here.`;

/**
 * The token of the Authorization header, or undefined without a bearer token. Its length is limited, because it will be
 * hashed.
 */
function bearerToken(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined || header.length > 1000) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}
