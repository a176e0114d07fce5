/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

type PathItem = Readonly<Record<string, ApiOperation>>;

interface Reference {
  readonly $ref: string;
}

interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

export interface Parameter {
  readonly in: 'query' | 'path' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Answer {
  readonly description: string;
  readonly content?: Content;
}

type Content = Readonly<Record<string, MediaType>>;

export interface MediaType {
  readonly schema?: Schema | Reference;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Schema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema | Reference>>;
  readonly required?: readonly string[];
  readonly items?: Schema | Reference;
  readonly additionalProperties?: Schema | Reference | boolean;
  readonly oneOf?: readonly (Schema | Reference)[];
  readonly anyOf?: readonly (Schema | Reference)[];
  readonly allOf?: readonly (Schema | Reference)[];
}

/** One operation with its place. `isReceived`: a request that Mailhook sends to receivers. */
export interface Operation extends ApiOperation {
  readonly method: string;
  readonly path: string;
  readonly isReceived: boolean;
}

export interface Group {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** Follows a reference within the document. */
export function resolved<T extends object>(document: OpenApi, value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const [kind = '', name = ''] = value.$ref.replace('#/components/', '').split('/');
  return document.components[kind]?.[name] as T;
}

/** The operations by their first tag, in the document's order. */
export function groupsOf({ tags, paths, webhooks }: OpenApi): readonly Group[] {
  const operations = [...operationsOf(paths, false), ...operationsOf(webhooks, true)];
  return tags.map(({ name, description = '' }) => ({
    name,
    slug: name.toLowerCase().replaceAll(' ', '-'),
    description,
    operations: operations.filter((operation) => operation.tags[0] === name),
  }));
}

const operationsOf = (items: Readonly<Record<string, PathItem>>, isReceived: boolean): Operation[] =>
  Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      isReceived,
    })),
  );
