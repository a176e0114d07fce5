import type { ProblemCode } from '@mailhook/core';
import type { ZodOpenApiMediaTypeObject, ZodOpenApiOperationObject } from 'zod-openapi';
import { z } from 'zod';
import { limitHeaders, requestIdHeader, requestIdParameter } from './headers.ts';
import { headersTooLarge, problemResponses } from './problems.ts';

/** The specific parts of an operation. `customerOperation` and `adminOperation` add the common parts. */
export interface OperationSketch {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Whether the path contains `{id}`. */
  readonly hasId?: boolean;
  /** Names of other parameters in the path. */
  readonly parameters?: readonly string[];
  /** The schema of each of these parameters. Absent: a string without rules. */
  readonly parameter?: z.ZodString;
  readonly query?: z.ZodObject;
  /** Requests to receivers that the operation causes. */
  readonly callbacks?: ZodOpenApiOperationObject['callbacks'];
  readonly body?: { readonly schema: z.ZodType; readonly example: unknown; readonly isOptional?: boolean };
  readonly answer: {
    readonly status: number;
    /** Another status with the same answer. */
    readonly orStatus?: number;
    readonly text: string;
    /** Headers beside those of every answer. */
    readonly headers?: Readonly<Record<string, z.ZodType>>;
    /** Default: JSON. */
    readonly mediaType?: 'text/csv';
    readonly schema: z.ZodType;
    readonly example: unknown;
  };
  /** Problems beyond the common ones. */
  readonly problems?: readonly ProblemCode[];
}

const COMMON: readonly ProblemCode[] = ['unauthorized', 'rate_limited', 'internal_error', 'unavailable'];
const OF_BODIES: readonly ProblemCode[] = [
  'malformed_json',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];

/** An operation that requires an account's access token. */
export const customerOperation = (sketch: OperationSketch): ZodOpenApiOperationObject =>
  operation('accessToken', limitHeaders, sketch);

/** An operation of the operations port, which requires the admin token. */
export const adminOperation = ({ problems = [], ...sketch }: OperationSketch): ZodOpenApiOperationObject =>
  operation('adminToken', {}, { ...sketch, problems: ['forbidden', 'insufficient_scope', ...problems] });

function operation(
  securityScheme: string,
  headers: Readonly<Record<string, z.ZodType>>,
  sketch: OperationSketch,
): ZodOpenApiOperationObject {
  const { operationId, tag, summary, description, query, body, answer, callbacks, problems = [] } = sketch;
  const { parameter = z.string() } = sketch;
  const inPath = [...(sketch.hasId === true ? ['id'] : []), ...(sketch.parameters ?? [])];
  const codes = [
    ...COMMON,
    ...(body === undefined ? [] : OF_BODIES),
    ...(query === undefined ? [] : (['validation_failed'] as const)),
    ...problems,
  ];
  const success = {
    description: answer.text,
    headers: z.object({ ...requestIdHeader, ...headers, ...answer.headers }),
    content: { [answer.mediaType ?? 'application/json']: { schema: answer.schema, example: answer.example } },
  };
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: [{ [securityScheme]: [] }],
    ...(callbacks === undefined ? {} : { callbacks }),
    requestParams: {
      header: z.object({ 'x-request-id': requestIdParameter }),
      ...(inPath.length === 0 ? {} : { path: z.object(Object.fromEntries(inPath.map((name) => [name, parameter]))) }),
      ...(query === undefined ? {} : { query }),
    },
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.isOptional !== true, content: json(body.schema, body.example) } }),
    responses: {
      [`${answer.status}`]: success,
      ...(answer.orStatus === undefined ? {} : { [`${answer.orStatus}`]: success }),
      ...problemResponses(codes),
      ...headersTooLarge,
    },
  };
}

export const json = (schema: z.ZodType, example: unknown): Record<'application/json', ZodOpenApiMediaTypeObject> => ({
  'application/json': { schema, example },
});
