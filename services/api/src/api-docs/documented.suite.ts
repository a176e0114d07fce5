import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import type { ApiRig } from '../api-rig.suite.ts';
import type { ApiDocument } from './document.ts';

/** An API document that tests can compare with real answers. */
export interface Documented {
  /** Operations such as `get /v3/webhook/campaign`. */
  readonly operations: readonly string[];
  readonly operationIds: readonly string[];
  /**
   * Faults of an answer: an undocumented operation, status, media type or header, a missing header, or a body that does
   * not match. Empty if the answer conforms.
   */
  faultsOf(answer: Answer): readonly string[];
  /** Operations that take a JSON body. */
  readonly withBody: readonly string[];
  /** Whether a value matches a named schema. */
  hasSchema(name: string, value: unknown): boolean;
  /** Whether a body matches the schema of an operation such as `post /v3/events`. */
  takesBody(operation: string, body: unknown): boolean;
  /** Examples that do not match their schemas, and schemas without an example. */
  exampleFaults(): readonly string[];
}

interface Answer {
  readonly method: string;
  /** The path as documented, with `{id}`. */
  readonly path: string;
  readonly status: number;
  readonly mediaType: string;
  readonly body: unknown;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Headers of HTTP itself and those that protect browsers, which no document describes. */
const OF_HTTP =
  /^(?:cache-control|con|cross-origin-|date|keep-alive|origin-agent|referrer-policy|strict-|transfer-|vary|x-(?!r))/;

interface DocumentedResponse {
  readonly $ref?: string;
  readonly content?: Record<string, Media>;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;
}

interface Media {
  readonly schema?: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

const METHODS = ['get', 'put', 'post', 'delete'] as const;

export function readDocument(document: ApiDocument): Documented {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': true } });
  ajv.addSchema(document, 'api');
  const validatorAt = (...steps: string[]): ValidateFunction =>
    ajv.compile({ $ref: `api#/${steps.map(escaped).join('/')}` });
  const faults = (validate: ValidateFunction, value: unknown, where: string): string[] =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${where}${instancePath} ${message ?? ''}`);

  const operationsIf = (isWanted: (operation: { readonly requestBody?: unknown }) => boolean): string[] =>
    Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method] !== undefined && isWanted(item[method])).map(
        (method) => `${method} ${path}`,
      ),
    );

  return {
    operations: operationsIf(() => true),
    withBody: operationsIf(({ requestBody }) => requestBody !== undefined),
    operationIds: [...Object.values(document.paths ?? {}), ...Object.values(document.webhooks ?? {})]
      .flatMap((item) => METHODS.map((method) => item[method]?.operationId))
      .filter((id) => id !== undefined),
    faultsOf({ method, path, status, mediaType, body, headers }) {
      const where = `${method} ${path} ${status}`;
      const responsePath = ['paths', path, method, 'responses', `${status}`];
      const response = at(document, responsePath) as DocumentedResponse | undefined;
      if (response === undefined) return [`${where} is not documented`];
      const steps = response.$ref === undefined ? responsePath : response.$ref.slice(2).split('/');
      const { content = {}, headers: named = {} } = at(document, steps) as DocumentedResponse;
      const known = Object.keys(named).map((name) => name.toLowerCase());
      const unknown = Object.keys(headers).filter((name) => !OF_HTTP.test(name) && !known.includes(name));
      const required = Object.entries(named).filter(([, { $ref, required }]) =>
        $ref === undefined ? required : (at(document, $ref.slice(2).split('/')) as (typeof named)[string]).required,
      );
      const missing = required.filter(([name]) => headers[name.toLowerCase()] === undefined);
      const ofHeaders = [
        ...unknown.map((name) => `${where} does not document the header ${name}`),
        ...missing.map(([name]) => `${where} lacks the header ${name}`),
      ];
      if (content[mediaType] === undefined) return [`${where} as ${mediaType} is not documented`];
      return [...ofHeaders, ...faults(validatorAt(...steps, 'content', mediaType, 'schema'), body, where)];
    },
    hasSchema: (name, value) => validatorAt('components', 'schemas', name)(value),
    takesBody: (operation, body) => {
      const [method = '', path = ''] = operation.split(' ');
      return validatorAt('paths', path, method, 'requestBody', 'content', 'application/json', 'schema')(body);
    },
    exampleFaults() {
      return mediaObjects(document).flatMap(({ steps, media }) => {
        const validate = validatorAt(...steps, 'schema');
        const values = [
          ...(media.example === undefined ? [] : [media.example]),
          ...Object.values(media.examples ?? {}).map(({ value }) => value),
        ];
        if (values.length === 0) return [`${steps.join(' ')} has no example`];
        return values.flatMap((value) => faults(validate, value, steps.join(' ')));
      });
    },
  };
}

export type DocumentedCall = (
  operation: string,
  body?: unknown,
  /** Parameters of the path, and a query that begins with a question mark. */
  where?: Readonly<Record<string, string>>,
) => Promise<unknown>;

/**
 * Calls an operation (`get /v3/webhook/campaign`), expects its answer to conform to the document, and resolves with the
 * body.
 */
export const documentedCalls =
  (
    documented: Documented,
    call: ReturnType<ApiRig['as']>,
    onAnswer: (operation: string, status: number) => void = () => undefined,
  ): DocumentedCall =>
  async (operation, body, { query = '', ...parameters } = {}) => {
    const [method = '', path = ''] = operation.split(' ');
    const reply = await call(
      method as 'get',
      path.replaceAll(/{(\w+)}/g, (_, name: string) => parameters[name] ?? '') + query,
      body,
    );
    const mediaType = (reply.headers['content-type'] ?? '').split(';')[0] ?? '';
    const answer = {
      method,
      path,
      status: reply.status,
      mediaType,
      body: mediaType === 'text/csv' ? reply.text : (reply.body as unknown),
      headers: reply.headers as Readonly<Record<string, unknown>>,
    };
    expect(documented.faultsOf(answer)).toEqual([]);
    onAnswer(operation, reply.status);
    return answer.body;
  };

const VALIDATOR = 'node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js';

/** Resolves with the validator's report, `{valid: true}` for valid OpenAPI 3.1. */
export async function validateDocument(document: ApiDocument): Promise<unknown> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mailhook-openapi-'));
  const file = path.join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [VALIDATOR, file]);
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The places of objects without a name. */
export function nameless(value: unknown, where = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const {
    oneOf = [],
    anyOf = [],
    items,
  } = value as Partial<Record<'oneOf' | 'anyOf', unknown[]>> & { items?: unknown };
  const inner = [...oneOf, ...anyOf, ...(Array.isArray(items) ? [] : [items])] as (
    | { properties?: object; title?: string }
    | undefined
  )[];
  const isNameless = inner.some((one) => one?.properties !== undefined && one.title === undefined);
  return [
    ...(isNameless ? [where] : []),
    ...Object.entries(value).flatMap(([key, one]) => nameless(one, `${where}/${key}`)),
  ];
}

/** Every `content` object in the document that has a schema, with the steps to it. */
function mediaObjects(value: unknown, steps: readonly string[] = []): { steps: string[]; media: Media }[] {
  if (typeof value !== 'object' || value === null) return [];
  if (steps.at(-2) === 'content' && 'schema' in value) return [{ steps: [...steps], media: value }];
  return Object.entries(value).flatMap(([key, inner]) => mediaObjects(inner, [...steps, key]));
}

const at = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );

/** A step of a JSON pointer, escaped for a URI. */
const escaped = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
