import type { ProblemCode } from '@mailhook/core';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { z } from 'zod';
import type { Endpoint } from '../endpoints/endpoint.ts';
import {
  etagHeader,
  ifMatchParameter,
  ifNoneMatchParameter,
  limitHeaders,
  requestIdHeader,
  requestIdParameter,
} from './headers.ts';
import { json } from './json-schema.ts';
import { headersTooLarge, notModified, problemResponses } from './problems.ts';
import { sentToAddress } from './received-requests.ts';

type Documented = Omit<Endpoint<never, string>, 'run'>;

const COMMON: readonly ProblemCode[] = [
  'unauthorized',
  'validation_failed',
  'rate_limited',
  'internal_error',
  'unavailable',
];
const OF_BODIES: readonly ProblemCode[] = [
  'malformed_json',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
];

/** What the operations of one API have in common. */
interface Api {
  readonly securityScheme: string;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, z.ZodType>>;
  readonly problemsOf: (endpoint: Documented) => readonly ProblemCode[];
}

/** Operations that require an account's access token. */
export const PUBLIC_API: Api = {
  securityScheme: 'accessToken',
  headers: limitHeaders,
  problemsOf: ({ scope }) => (scope === 'read' ? [] : ['insufficient_scope']),
};

/** Operations of the operations port, which require the admin token. */
export const ADMIN_API: Api = {
  securityScheme: 'adminToken',
  headers: {},
  problemsOf: () => ['forbidden', 'insufficient_scope'],
};

/** The paths of a document, in the order of the declarations. */
export function pathsOf(endpoints: readonly Documented[], api: Api): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(endpoint, api) };
  }
  return paths;
}

function operationOf(endpoint: Documented, api: Api): ZodOpenApiOperationObject {
  const { operationId, tag, summary, description, sends, parameters, query, body, answer, problems = [] } = endpoint;
  const { isVersioned = false, method } = endpoint;
  const [isRead, isReplaced] = [isVersioned && method === 'get', isVersioned && method !== 'get'];
  const codes = [
    ...COMMON,
    ...(body === undefined ? [] : OF_BODIES),
    ...problems,
    ...(isReplaced ? (['precondition_failed'] as const) : []),
    ...api.problemsOf(endpoint),
  ];
  const success = {
    description: answer.text,
    headers: z.object({ ...requestIdHeader, ...api.headers, ...(isRead ? etagHeader : {}), ...answer.headers }),
    content: {
      [answer.mediaType ?? 'application/json']: { schema: answer.schema, example: answer.example },
    },
  };
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: [{ [api.securityScheme]: [] }],
    ...(sends === undefined ? {} : { callbacks: sentToAddress(sends) }),
    requestParams: {
      header: z.object({
        'x-request-id': requestIdParameter,
        ...(isRead ? { 'if-none-match': ifNoneMatchParameter } : {}),
        ...(isReplaced ? { 'if-match': ifMatchParameter } : {}),
      }),
      ...(parameters === undefined ? {} : { path: parameters }),
      ...(query === undefined ? {} : { query }),
    },
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.isOptional !== true, content: json(body.schema, body.example) } }),
    responses: {
      [`${answer.status}`]: success,
      ...(answer.orStatus === undefined ? {} : { [`${answer.orStatus}`]: success }),
      ...(isRead ? notModified : {}),
      ...problemResponses(codes),
      ...headersTooLarge,
    },
  };
}
