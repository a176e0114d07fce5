import type { Request, RequestHandler } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';
import { hashToken } from '../accounts/tokens.ts';
import type { AdminTokens, Operator } from './admin-tokens.ts';
import { admit } from './admin-tokens.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';

interface BasicAuthDeps {
  readonly adminTokens: AdminTokens;
  readonly attempts: SignInAttempts;
}

const USER = 'admin';

/** HTTP Basic for people with a browser: user `admin`, password one of `ADMIN_TOKEN`. Failed sign-ins are limited like those at the public port. */
export function createBasicAuth({ adminTokens, attempts }: BasicAuthDeps): RequestHandler {
  const find = (credentials: string): Operator | undefined =>
    credentials.startsWith(`${USER}:`) ? adminTokens.find(credentials.slice(USER.length + 1)) : undefined;
  return async (request, response, next) => {
    const credentials = credentialsOf(request);
    // A browser sends its first request without credentials, to learn the expected scheme. It is no failure.
    const operator =
      credentials === undefined
        ? undefined
        : await attempts.run(request.ip, hashToken(credentials), () => Promise.resolve(find(credentials)));
    if (operator === undefined) throw unauthorized();
    admit(request, response, operator);
    next();
  };
}

const unauthorized = (): ProblemError =>
  new ProblemError('unauthorized', {
    detail: 'Sign in as admin with the admin token.',
    headers: { 'www-authenticate': 'Basic realm="Mailhook", charset="UTF-8"' },
  });

function credentialsOf(request: Request): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined || header.length > 1000) return undefined;
  const encoded = /^basic +(\S+) *$/i.exec(header)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}
