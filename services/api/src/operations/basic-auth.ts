import type { Request, RequestHandler } from 'express';
import { ProblemError } from '@mailhook/platform/http-server';
import { createSecretCheck } from '../accounts/tokens.ts';
import type { FailureLimit } from '../public/authenticate.ts';

interface BasicAuthDeps {
  readonly adminToken: string;
  readonly failureLimit: FailureLimit;
}

const USER = 'admin';

/** HTTP Basic for people with a browser: user `admin`, password `ADMIN_TOKEN`. Failures are limited, a right password never refused. */
export function createBasicAuth({ adminToken, failureLimit }: BasicAuthDeps): RequestHandler {
  const isRight = createSecretCheck(`${USER}:${adminToken}`);
  return (request, response, next) => {
    const credentials = credentialsOf(request);
    if (credentials !== undefined && isRight(credentials)) {
      next();
      return;
    }
    const refusal = new ProblemError('unauthorized', {
      detail: 'Sign in as admin with the admin token.',
      headers: { 'www-authenticate': 'Basic realm="Mailhook", charset="UTF-8"' },
    });
    // A browser's first request has no credentials: it only asks what to ask for.
    if (credentials === undefined) next(refusal);
    else failureLimit(request, response, (error) => next(error ?? refusal));
  };
}

function credentialsOf(request: Request): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined || header.length > 1000) return undefined;
  const encoded = /^basic +(\S+) *$/i.exec(header)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}
