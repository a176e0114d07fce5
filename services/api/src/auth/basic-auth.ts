import type { Request, RequestHandler } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';
import { createSecretCheck, hashToken } from '../accounts/tokens.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';

interface BasicAuthDeps {
  readonly adminToken: string;
  readonly attempts: SignInAttempts;
}

const USER = 'admin';

/** HTTP Basic for people with a browser: user `admin`, password `ADMIN_TOKEN`. Failed sign-ins are limited like those at the public port. */
export function createBasicAuth({ adminToken, attempts }: BasicAuthDeps): RequestHandler {
  const isCorrect = createSecretCheck(`${USER}:${adminToken}`);
  return async (request, _response, next) => {
    const credentials = credentialsOf(request);
    // A browser sends its first request without credentials, to learn the expected scheme. It is no failure.
    const isAdmin =
      credentials !== undefined &&
      (await attempts.run(request.ip, hashToken(credentials), () =>
        Promise.resolve(isCorrect(credentials) ? true : undefined),
      ));
    if (isAdmin !== true) throw unauthorized();
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
