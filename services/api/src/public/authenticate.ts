import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';
import { createSecretCheck } from '../accounts/tokens.ts';
import type { TokenDirectory } from '../accounts/tokens.ts';

/** Counts a failed sign-in of this client; calls back with an error (a 429) when there were too many. */
export type FailureLimit = (request: Request, response: Response, done: (error?: Error) => void) => void;

export interface AuthenticateDeps {
  readonly tokens: Pick<TokenDirectory, 'find'>;
  readonly producerToken: string;
  readonly adminToken: string;
  readonly failureLimit: FailureLimit;
}

export interface Authenticate {
  /** Lets customers' tokens pass, and notes the account: see `accountOf`. */
  readonly customer: RequestHandler;
  /** The account of a customer's token, wherever in the request it came; a failure counts against the client. */
  readonly signIn: (token: string | undefined, request: Request, response: Response) => Promise<string>;
  readonly admin: RequestHandler;
  /** At once, for the intake's hot path. */
  readonly isProducer: (request: IncomingMessage) => boolean;
  /** What a request to the intake without the producer token is refused with. */
  readonly refuseProducer: (request: Request, response: Response) => Promise<never>;
}

/** The three kinds of bearer token (spec, "Authentication"): a valid one of the wrong kind is a 403, everything else a 401. */
export function createAuthenticate({
  tokens,
  producerToken,
  adminToken,
  failureLimit,
}: AuthenticateDeps): Authenticate {
  const isProducerToken = createSecretCheck(producerToken);
  const isAdminToken = createSecretCheck(adminToken);
  const refuse = createRefusal(failureLimit);
  const signIn: Authenticate['signIn'] = async (token, request, response) => {
    if (token === undefined) return refuse(request, response);
    if (isProducerToken(token) || isAdminToken(token)) throw wrongKind("an account's access token");
    return (await tokens.find(token)) ?? (await refuse(request, response));
  };
  return {
    customer: async (request, response, next) => {
      (response.locals as Locals).account = await signIn(bearerToken(request), request, response);
      next();
    },
    signIn,
    admin: async (request, response, next) => {
      const token = bearerToken(request) ?? (await refuse(request, response));
      if (isProducerToken(token)) throw wrongKind('the admin token');
      if (!isAdminToken(token)) await refuse(request, response);
      next();
    },
    isProducer: (request) => {
      const token = bearerToken(request);
      return token !== undefined && isProducerToken(token);
    },
    refuseProducer: async (request, response) => {
      const token = bearerToken(request) ?? (await refuse(request, response));
      if (isAdminToken(token) || (await tokens.find(token)) !== undefined) throw wrongKind('the producer token');
      return refuse(request, response);
    },
  };
}

/** Only failures are counted, after the token was looked up: so a valid one is never refused. */
const createRefusal =
  (failureLimit: FailureLimit) =>
  async (request: Request, response: Response): Promise<never> => {
    await new Promise<void>((resolve, reject) => {
      failureLimit(request, response, (error?: Error) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
    throw new ProblemError('unauthorized', {
      detail: 'Send a valid access token as Authorization: Bearer <token>.',
      headers: { 'www-authenticate': 'Bearer realm="mailhook"' },
    });
  };

interface Locals {
  account?: string;
}

/** The account that a request behind `customer` speaks for. */
export function accountOf(response: Response): string {
  const { account } = response.locals as Locals;
  if (account === undefined) throw new Error('this route is not behind a sign-in');
  return account;
}

const wrongKind = (wanted: string): ProblemError =>
  new ProblemError('forbidden', { detail: `This token is of another kind; use ${wanted} here.` });

/** The token of the Authorization header; undefined when there is none, or of another scheme. Bounded, as it will be digested. */
function bearerToken(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined || header.length > 1000) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}
