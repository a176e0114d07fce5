import { AsyncResource } from 'node:async_hooks';
import { countedObject } from '@mailhook/core';
import type { AuditedAction, AuditLog, Origin, SecurityEvent } from '@mailhook/core';
import type { Request, RequestHandler, Response } from 'express';
import { requestIdOf } from '@mailhook/platform/http-server';
import { clientAddressOf } from '../auth/client-address.ts';
import type { SecurityEvents } from '../auth/security-events.ts';

/** Who makes the request, after the sign-in. */
type ActorOf = (response: Response) => Pick<AuditedAction, 'actor' | 'via' | 'account' | 'token' | 'person'>;

/** Notes that a request has changed nothing, so that it is not recorded. */
export const noteUnchanged = (response: Response): void => {
  Object.assign(response.locals, { isUnchanged: true } satisfies Locals);
};

interface Locals {
  readonly isUnchanged?: boolean;
}

/** Where a request came from. */
export const originOf = (response: Response): Pick<Origin, 'client' | 'requestId'> => ({
  client: clientAddressOf(response.req),
  requestId: requestIdOf(response.req, response),
});

interface AuditRequestsDeps {
  readonly audit: AuditLog;
  readonly security: Pick<SecurityEvents, 'note'>;
}

/** How an operation changes something. */
interface Change {
  /** Such as `create subscription`. Undefined: it changes nothing. */
  readonly audit: string | undefined;
  /** Of a change of who may sign in. */
  readonly security: SecurityEvent | undefined;
}

/**
 * Records each request to an operation that has changed something, when its answer is sent. Notes those that change who
 * may sign in as security events too.
 */
export const auditChanges =
  ({ audit, security }: AuditRequestsDeps, actorOf: ActorOf) =>
  ({ audit: action, security: event }: Change): RequestHandler[] => {
    if (action === undefined) return [];
    return [
      (request, response, next) => {
        const sent = watchAnswer(request, response);
        // The event comes from a socket, and the log reads what this request has changed.
        const onFinish = AsyncResource.bind(() => {
          if (response.statusCode >= 400 || (response.locals as Locals).isUnchanged === true) return;
          const { account, ...ids } = request.params as Readonly<Record<string, string>>;
          const answer = sent();
          const object = Object.values(ids)[0] ?? answer.id ?? answer.access ?? answer.counted;
          const created = action === 'create account' ? answer.id : undefined;
          const about = account ?? created ?? accountInBody(request) ?? answer.account;
          if (event !== undefined) security.note(event, response, { account: about, object });
          void audit.record({ account: about, ...actorOf(response), ...originOf(response), action, object });
        });
        response.on('finish', onFinish);
        next();
      },
    ];
  };

/** Records the changes that operators make on Bull Board, by the path of its own API. */
export const auditBoard =
  (
    log: AuditLog,
    operatorOf: (response: Response) => Pick<AuditedAction, 'actor' | 'token' | 'person'>,
  ): RequestHandler =>
  (request, response, next) => {
    const { method, path } = request;
    response.on('finish', () => {
      if (method === 'GET' || method === 'HEAD' || response.statusCode >= 400) return;
      void log.record({
        ...operatorOf(response),
        ...originOf(response),
        via: 'Bull Board',
        action: `${method} ${path.replace(/^\/api/, '')}`,
      });
    });
    next();
  };

/** A filter of dead letters names an account in the body. */
function accountInBody(request: Request): string | undefined {
  const { account } = bodyOf(request);
  return typeof account === 'string' ? account : undefined;
}

const bodyOf = ({ body }: Request): { readonly account?: unknown; readonly destination?: unknown } =>
  (body as object | undefined) ?? {};

interface Answer {
  readonly id?: string;
  readonly account?: string;
  /** What a portal link allows. */
  readonly access?: string;
  /** How much was changed. */
  readonly counted?: string | undefined;
}

/** The id of a new object, and the account of a destination, are only in the answer. */
function watchAnswer(request: Request, response: Response): () => Answer {
  let answer: Answer = {};
  const json = response.json.bind(response);
  response.json = (body: Readonly<Record<string, unknown>>) => {
    const { id, account, access } = body;
    answer = {
      ...(typeof id === 'string' ? { id } : {}),
      ...(typeof account === 'string' ? { account } : {}),
      ...(typeof access === 'string' ? { access } : {}),
      counted: countedObject({ destination: bodyOf(request).destination }, body),
    };
    return json(body);
  };
  return () => answer;
}
