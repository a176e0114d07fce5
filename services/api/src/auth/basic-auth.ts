import type { Request, RequestHandler } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';
import { clientAddressOf } from './client-address.ts';
import { hashToken } from '../accounts/tokens.ts';
import type { AdminTokens, Operator } from './admin-tokens.ts';
import { admit } from './admin-tokens.ts';
import type { SecurityEvents } from './security-events.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';

interface BasicAuthDeps {
  readonly adminTokens: Pick<AdminTokens, 'find'>;
  readonly attempts: SignInAttempts;
  readonly security: Pick<SecurityEvents, 'note'>;
}

const USER = 'admin';

/**
 * HTTP Basic for people with a browser: user `admin`, password one of `ADMIN_TOKEN`. Failed sign-ins are limited like
 * those at the public port.
 */
export function createBasicAuth({ adminTokens, attempts, security }: BasicAuthDeps): RequestHandler {
  const find = (credentials: string): Operator | undefined =>
    credentials.startsWith(`${USER}:`) ? adminTokens.find(credentials.slice(USER.length + 1)) : undefined;
  return async (request, response, next) => {
    const credentials = credentialsOf(request);
    // A browser sends its first request without credentials, to learn the expected scheme. It is no failure.
    const operator =
      credentials === undefined
        ? undefined
        : await attempts.run({
            address: clientAddressOf(request),
            kind: 'operator',
            tokenHash: hashToken(credentials),
            verify: () => find(credentials),
            onFirstUse: ({ label }) => security.note('sign_in', response, { operator: label }),
          });
    if (operator === undefined) throw unauthorized(credentials);
    admit(response, operator, request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'admin');
    next();
  };
}

const unauthorized = (credentials: string | undefined): ProblemError =>
  new ProblemError('unauthorized', {
    detail: 'Reload this page, and sign in as the user admin with an admin token as the password.',
    reason: credentials === undefined ? 'token_missing' : 'sign_in_failed',
    headers: { 'www-authenticate': 'Basic realm="Mailhook", charset="UTF-8"' },
  });

function credentialsOf(request: Request): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined || header.length > 1000) return undefined;
  const encoded = /^basic +(\S+) *$/i.exec(header)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}
