import express from 'express';
import request from 'supertest';
import { z } from 'zod';
import { listen, problemHandler } from '@mailhook/platform/http-server';
import { adminEndpoints } from './admin/index.ts';
import { customerEndpoints } from './customer/index.ts';
import { endpointOf } from './endpoint.ts';
import { addEndpoints } from './router.ts';

const endpoint = endpointOf<{ readonly greet: (name: string) => string }, object, 'read' | 'write'>({
  callerOf: () => ({}),
  scopeOf: (method) => (method === 'get' ? 'read' : 'write'),
});
const common = { tag: 'Names', summary: 'For a test' };
const answer = { status: 200, text: 'A greeting.', schema: z.object({ said: z.string() }), example: { said: 'hi' } };

const endpoints = [
  endpoint({
    ...common,
    method: 'get',
    path: '/names/:name',
    operationId: 'greet',
    parameter: z.string().max(5),
    query: z.object({ times: z.coerce.number().int().default(1) }),
    answer,
    handle: ({ params, query }, { greet }) => Promise.resolve({ said: greet(params.name).repeat(query.times) }),
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/names/add',
    operationId: 'add',
    audit: 'add name',
    body: { schema: z.object({ name: z.string() }), example: { name: 'anna' } },
    answer: { ...answer, status: 201, orStatus: 200 },
    handle: ({ body, response }, { greet }) => {
      if (body.name === 'known') response.status(200);
      return Promise.resolve({ said: greet(body.name) });
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/names/:name/change',
    operationId: 'change',
    audit: false,
    scope: 'read',
    body: { schema: z.object({ to: z.string().optional() }), example: {} },
    answer,
    handle: ({ params, body }) => Promise.resolve({ said: `${params.name} ${body.to ?? ''}` }),
  }),
];

let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  const app = express();
  addEndpoints(app, endpoints, { greet: (name) => `hi ${name}` }, () => [express.json()]);
  app.use(problemHandler({}));
  server = await listen({ host: '127.0.0.1', port: 0, app });
});
afterAll(() => server.close());

const call = (method: 'get' | 'post' | 'delete', path: string) =>
  request(`http://127.0.0.1:${server.port}`)[method](path);

test('a route gets its checked parameters, query and body', async () => {
  expect((await call('get', '/names/anna?times=2')).body).toEqual({ said: 'hi annahi anna' });
  expect((await call('get', '/names/anna?times=')).body).toEqual({ said: 'hi anna' });
  const created = await call('post', '/names/add').send({ name: 'ben' });
  expect([created.status, created.body]).toEqual([201, { said: 'hi ben' }]);
  expect((await call('post', '/names/add').send({ name: 'known' })).status).toBe(200);
});

test.each([
  ['get', '/names/too-long', undefined, ['name']],
  ['get', '/names/anna?times=x', undefined, ['times']],
  ['post', '/names/add', { name: 1 }, ['name']],
  ['post', '/names/add', undefined, ['name']],
  ['post', '/names/anna/change', undefined, ['']],
] as const)('%s %s with %j is refused', async (method, path, body, fields) => {
  const reply = await call(method, path).send(body);
  expect(reply.status).toBe(422);
  expect((reply.body as { errors: { path: string }[] }).errors.map((one) => one.path)).toEqual(fields);
});

test.each([
  ['get', '/names/anna?tmes=2', 'tmes is unknown: use only times'],
  ['get', '/names/anna?times=2&__proto__=', '__proto__ is unknown: use only times'],
  ['post', '/names/anna/change?to=ben', 'to is unknown: leave it out'],
] as const)('%s %s is refused', async (method, path, detail) => {
  const reply = await call(method, path).send({});
  expect([reply.status, (reply.body as { detail: string }).detail]).toEqual([422, detail]);
});

test('a fixed name wins over a parameter that was declared before it, and other methods get a 405', async () => {
  for (const [path, allow] of [
    ['/names/add', 'POST'],
    ['/names/anna', 'GET, HEAD'],
  ] as const) {
    const reply = await call('delete', path);
    expect([reply.status, reply.headers['allow']]).toEqual([405, allow]);
  }
  expect((await call('get', '/names/add')).status).toBe(405);
});

test('a misspelled name in a body that may be absent, or may select everything, is refused', () => {
  const bodies = [...customerEndpoints, ...adminEndpoints].flatMap(({ operationId, body }) =>
    body !== undefined && (body.isOptional === true || /discard/i.test(operationId)) ? [{ operationId, body }] : [],
  );
  expect(bodies.length).toBeGreaterThan(8);
  const taking = bodies.filter(
    ({ body }) => body.schema.safeParse({ ...(body.example as object), misspelled: 1 }).success,
  );
  // A test changes nothing.
  expect(taking.map(({ operationId }) => operationId)).toEqual(['testCampaignWebhook']);
});

test('an endpoint says what its route needs', () => {
  expect(endpoints.map(({ scope, audit }) => [scope, audit])).toEqual([
    ['read', undefined],
    ['write', 'add name'],
    ['read', undefined],
  ]);
});
