// The calls of the API with types from openapi-typescript, and openapi-fetch:
// npx openapi-typescript ../../docs/openapi.json -o mailhook.ts
import createClient from 'openapi-fetch';
import type { paths } from './mailhook.js';

const { MAILHOOK_URL = 'http://127.0.0.1:3000', ACCESS_TOKEN, ADDRESS = 'http://127.0.0.1:4000/hook' } = process.env;
const mailhook = createClient<paths>({
  baseUrl: MAILHOOK_URL,
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
});

interface Result<Data> {
  readonly data?: Data;
  readonly error?: { readonly detail?: string | undefined } | undefined;
}

/** Prints what a call returned. Throws the reason of a failure. */
function shown<Data>({ data, error }: Result<Data>): Data {
  if (data === undefined) throw new Error(error?.detail ?? 'The request failed.');
  console.log(JSON.stringify(data));
  return data;
}

const wanted = { address: ADDRESS, type: 'click', module: 'transactional_email' } as const;
const subscriptions = '/v3/webhook/subscriptions';

const { id } = shown(await mailhook.POST(subscriptions, { body: wanted }));
const one = { params: { path: { id } } };
shown(await mailhook.GET(subscriptions));
shown(await mailhook.PUT(`${subscriptions}/{id}`, { ...one, body: { module: wanted.module, active: false } }));
shown(await mailhook.GET(`${subscriptions}/{id}`, one));
shown(await mailhook.POST('/v3/webhook/notificationTest/', { body: wanted }));
shown(await mailhook.DELETE(`${subscriptions}/{id}`, one));

// The campaign webhook: set it, test the saved address, test another one.
shown(await mailhook.PUT('/v3/webhook/campaign', { body: { address: ADDRESS, active: true } }));
shown(await mailhook.POST('/v3/webhook/campaign/test', { body: {} }));
const result = shown(await mailhook.POST('/v3/webhook/campaign/test', { body: { address: 'http://127.0.0.1:9/' } }));
console.log(JSON.stringify('message' in result));
