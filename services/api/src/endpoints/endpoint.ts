import type { Request, Response } from 'express';
import type { Frozen, IfVersion, ProblemCode, SecurityEvent } from '@mailhook/core';
import { etagOf, ifMatch, invalid, optionalBody, parseOrThrow } from '@mailhook/platform/http-server';
import { z } from 'zod';
import { noteUnchanged } from '../audit/audit-requests.ts';
import { cursorsOf } from './cursor.ts';

/** An answer that `handle` has sent itself. */
export const SENT = Symbol('sent');

export type Method = 'get' | 'post' | 'put' | 'delete';

/** What an endpoint is, for its route and its documentation alike. */
interface Facts {
  /** With parameters such as `:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Requests to the address in the body, which the endpoint causes. */
  readonly sends?: 'notification' | 'batch' | 'event' | 'events' | 'connectionTest';
  /** A get answers with an ETag, which `handle` notes. Other methods take `If-Match`. */
  readonly isVersioned?: true;
  /** Problems beyond those of every endpoint. */
  readonly problems?: readonly ProblemCode[];
  /** Whether it reads so much that the calls of one account wait for each other (docs/decisions/0019). */
  readonly isLarge?: true;
}

interface Body<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly example: unknown;
  /** Whether an absent body means an empty object. */
  readonly isOptional?: boolean;
}

interface Answer<Schema extends z.ZodType> {
  readonly status: number;
  /** Another status with the same answer, which `handle` sets. */
  readonly orStatus?: number;
  readonly text: string;
  /** Headers beside those of every answer. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  /** Default: JSON. */
  readonly mediaType?: 'text/csv';
  readonly schema: Schema;
  readonly example: unknown;
}

/** What an endpoint changes. */
type Effect =
  | { readonly method: 'get' }
  | {
      readonly method: 'post' | 'put' | 'delete';
      /** How the audit log names the change. False: the endpoint changes nothing, such as a test or a search. */
      readonly audit: string | false;
      /** Of a change of who may sign in. */
      readonly security?: SecurityEvent;
    };

/** Names of the parameters of a path. */
type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** A request that the router has let pass and whose parts it has checked. */
interface Call<Path extends string, Query extends z.ZodType, Content extends z.ZodType> {
  readonly params: Readonly<Record<ParameterOf<Path>, string>>;
  readonly query: z.output<Query>;
  readonly body: z.output<Content>;
  /** For headers, another status, and answers that are not JSON. */
  readonly response: Response;
  /** The version of the record that the answer shows. */
  readonly noteVersion: (version: string) => void;
  /** From the header `If-Match`. Undefined without one, and for an endpoint that does not take it. */
  readonly ifVersion: IfVersion | undefined;
  /** Notes that the request has changed nothing, so that it is not recorded. */
  readonly onUnchanged: () => void;
}

type Declaration<
  Services,
  Caller,
  Scope,
  Path extends string,
  Query extends z.ZodObject,
  Content extends z.ZodType,
  Result extends z.ZodType,
> = Facts &
  Effect & {
    readonly path: Path;
    /** The scope that a token needs. Default: the one that the method suggests. */
    readonly scope?: Scope;
    /** Rules of the parameters in the path. */
    readonly parameter?: z.ZodString;
    readonly query?: Query;
    readonly body?: Body<Content>;
    readonly answer: Answer<Result>;
    readonly handle: (
      call: Caller & Call<Path, Query, Content>,
      services: Services,
    ) => Promise<Frozen<z.output<Result>> | typeof SENT>;
  };

/** The single source of a route, its checks, its audit entry and its part of the OpenAPI document. */
export interface Endpoint<Services, Scope extends string> extends Facts {
  readonly method: Method;
  readonly scope: Scope;
  readonly audit: string | undefined;
  readonly security: SecurityEvent | undefined;
  readonly parameters: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly body: Body<z.ZodType> | undefined;
  readonly answer: Answer<z.ZodType>;
  /** Checks the request and answers it. */
  readonly run: (request: Request, response: Response, services: Services) => Promise<void>;
}

interface Audience<Services, Caller, Scope> {
  readonly callerOf: (response: Response) => Caller;
  readonly scopeOf: (method: Method) => Scope;
  /** Runs a large read. Default: at the same time as others. */
  readonly inLine?: <Result>(caller: Caller, services: Services, work: () => Promise<Result>) => Promise<Result>;
}

/** Declares an endpoint of one API. */
export type Declare<Services, Caller, Scope extends string> = <
  Path extends string,
  Result extends z.ZodType,
  Query extends z.ZodObject = z.ZodObject,
  Content extends z.ZodType = z.ZodType,
>(
  declaration: Declaration<Services, Caller, Scope, Path, Query, Content, Result>,
) => Endpoint<Services, Scope>;

/** Makes the function that declares endpoints of one API. */
export const endpointOf =
  <Services, Caller extends { readonly account?: string }, Scope extends string>({
    callerOf,
    scopeOf,
    inLine,
  }: Audience<Services, Caller, Scope>): Declare<Services, Caller, Scope> =>
  <Path extends string, Result extends z.ZodType, Query extends z.ZodObject, Content extends z.ZodType>({
    handle,
    parameter = z.string(),
    ...declared
  }: Declaration<Services, Caller, Scope, Path, Query, Content, Result>) => {
    const { method, path, query, body, answer } = declared;
    const { audit, security } = 'audit' in declared ? declared : ({ audit: false, security: undefined } as const);
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, parameter] as const);
    const parameters = names.length === 0 ? undefined : z.object(Object.fromEntries(names));
    return {
      ...declared,
      scope: declared.scope ?? scopeOf(method),
      audit: audit === false ? undefined : audit,
      security,
      parameters,
      query,
      body,
      run: async (request, response, services) => {
        const caller = callerOf(response);
        const cursors = cursorsOf(declared.operationId, caller.account ?? '');
        const withPlace = <Asked>(asked: Asked): Asked =>
          hasCursor(asked) ? { ...asked, cursor: cursors.read(asked.cursor) } : asked;
        const call: Call<Path, Query, Content> = {
          params: checked(parameters, request.params) as Call<Path, Query, Content>['params'],
          query: withPlace(checked(query, givenQuery(request, query))),
          body: withPlace(contentOf(request, body)),
          response,
          noteVersion: (version) => void response.set('etag', etagOf(version)),
          ifVersion: declared.isVersioned && ifMatch(request.get('if-match')),
          onUnchanged: () => noteUnchanged(response),
        };
        response.status(answer.status);
        const work = () => handle({ ...caller, ...call }, services);
        const content = await (declared.isLarge === true && inLine !== undefined
          ? inLine(caller, services, work)
          : work());
        if (content === SENT) return;
        response.json(hasNext(content) ? { ...content, nextCursor: cursors.write(content.nextCursor) } : content);
      },
    };
  };

/** The checked input, or undefined for an endpoint without it, whose `handle` cannot use it. */
const checked = <Schema extends z.ZodType>(schema: Schema | undefined, input: unknown) =>
  (schema === undefined ? undefined : parseOrThrow(schema, input)) as z.output<Schema>;

const hasCursor = (query: unknown): query is { readonly cursor: string } =>
  typeof query === 'object' && query !== null && 'cursor' in query && query.cursor !== undefined;

const hasNext = (content: unknown): content is { readonly nextCursor: string } =>
  typeof content === 'object' && content !== null && 'nextCursor' in content && typeof content.nextCursor === 'string';

/**
 * The query without empty fields, which forms send if nobody has filled them in. Refuses unknown names, because a
 * misspelled filter would select everything.
 */
function givenQuery({ query }: Request, schema: z.ZodObject | undefined): object {
  const names = Object.keys(schema?.shape ?? {});
  const message = `is unknown: ${names.length === 0 ? 'leave it out' : `use only ${names.join(', ')}`}`;
  const unknown = Object.keys(query).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw invalid(unknown.map((path) => ({ path, message })));
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

/** The checked body. Refuses an absent one with the names of the fields that are required. */
function contentOf<Schema extends z.ZodType>(request: Request, body: Body<Schema> | undefined): z.output<Schema> {
  const content = checked(body?.schema, optionalBody(request.body));
  if (request.body === undefined && body !== undefined && body.isOptional !== true)
    throw invalid([{ path: '', message: 'is required' }]);
  return content;
}
