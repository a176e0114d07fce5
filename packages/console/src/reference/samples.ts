import type { Sample } from '../html/code-tabs.ts';
import type { MediaType, Operation } from './openapi.ts';

/** What a request of an operation consists of. */
export interface SampleRequest {
  readonly method: string;
  /** Parameters in it are in capitals, for the reader to replace. */
  readonly path: string;
  readonly token: 'TOKEN' | 'PRODUCER_TOKEN';
  readonly contentType: string | undefined;
  readonly body: string | undefined;
}

/**
 * Programs that call an operation, without a library, so that they run as they are. They take the address of the API
 * and the token from their environment. Events can also be sent with the client for Node.js.
 */
export const samplesOf = (request: SampleRequest): readonly Sample[] => [
  { name: 'curl', code: curl(request) },
  { name: 'Node.js', code: node(request) },
  { name: 'Python', code: python(request) },
  { name: 'PHP', code: php(request) },
  ...(request.method === 'POST' && request.path === EVENTS_PATH ? [{ name: 'Client', code: client(request) }] : []),
];

const EVENTS_PATH = '/v3/events';

export function sampleRequest(operation: Operation): SampleRequest {
  const [contentType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const example = media === undefined ? undefined : exampleOf(media);
  return {
    method: operation.method,
    path: operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase()),
    token: operation.security.some((one) => 'producerToken' in one) ? 'PRODUCER_TOKEN' : 'TOKEN',
    contentType: example === undefined ? undefined : contentType,
    body: example,
  };
}

/** The first example of a body, as text. */
export function exampleOf({ example, examples = {} }: MediaType): string | undefined {
  const value = example ?? Object.values(examples)[0]?.value;
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curl({ method, path, token, contentType, body }: SampleRequest): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE${path}"`,
    `  -H "Authorization: Bearer $${token}"`,
  ];
  if (body !== undefined) lines.push(`  -H 'Content-Type: ${contentType}'`, `  -d ${shellQuoted(body)}`);
  return lines.join(' \\\n');
}

function node({ method, path, token, contentType, body }: SampleRequest): string {
  const type = body === undefined ? '' : `, 'Content-Type': '${contentType}'`;
  return `const response = await fetch(\`\${process.env.BASE}${path}\`, {
  method: '${method}',
  headers: { Authorization: \`Bearer \${process.env.${token}}\`${type} },${
    body === undefined
      ? ''
      : `\n  body: ${contentType === JSON_TYPE ? `JSON.stringify(${indented(body)})` : JSON.stringify(body)},`
  }
});
console.log(response.status, await response.text());`;
}

const JSON_TYPE = 'application/json';
const indented = (body: string): string => body.replaceAll('\n', '\n  ');

function client({ body = '[]' }: SampleRequest): string {
  const events = body.startsWith('[') ? body : `[${body}]`;
  return `import { createHttpProducer } from '@mailhook/producer';

const producer = createHttpProducer({ url: process.env.BASE, token: process.env.PRODUCER_TOKEN });
// If this resolves, every event is durably enqueued.
await producer.send(${events});
await producer.close();`;
}

function python({ method, path, token, contentType, body }: SampleRequest): string {
  const data = body === undefined ? '' : `\n    data=r"""${body}""".encode(),`;
  const type = body === undefined ? '' : `, "Content-Type": "${contentType}"`;
  return `import os
from urllib.request import Request, urlopen

request = Request(
    os.environ["BASE"] + "${path}",
    method="${method}",
    headers={"Authorization": "Bearer " + os.environ["${token}"]${type}},${data}
)
with urlopen(request) as response:
    print(response.status, response.read().decode())`;
}

function php({ method, path, token, contentType, body }: SampleRequest): string {
  const headers = [`'Authorization: Bearer ' . getenv('${token}')`];
  if (body !== undefined) headers.push(`'Content-Type: ${contentType}'`);
  return `<?php
$context = stream_context_create(['http' => [
    'method' => '${method}',
    'header' => [${headers.join(', ')}],${body === undefined ? '' : `\n    'content' => <<<'BODY'\n${body}\nBODY,`}
    'ignore_errors' => true,
]]);
echo file_get_contents(getenv('BASE') . '${path}', false, $context);`;
}
