import type { ProducerEvent, SubscriptionType } from '@mailhook/core';
import { request } from 'undici';
import { z } from 'zod';
import type { StackFile } from './started-stack.ts';

/** A reply of the API. */
export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** An account of a stack, with the calls of its owner and its producer. */
export interface Customer {
  readonly account: string;
  readonly token: string;
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  /** Resolves with the subscription's id. */
  subscribe(type: SubscriptionType, address: string): Promise<string>;
  setCampaign(address: string): Promise<void>;
  /** Sends events for this account. Throws unless they are accepted. */
  send(events: readonly ProducerEvent[]): Promise<void>;
}

export async function callApi(
  url: string,
  token: string,
  method: string,
  body?: unknown,
  type?: string,
): Promise<Answer> {
  const reply = await request(url, {
    method: method as 'GET',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': type ?? 'application/json;charset=UTF-8' }),
    },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await reply.body.text();
  return { status: reply.statusCode, json: text === '' ? undefined : JSON.parse(text) };
}

function expectStatus(answer: Answer, status: number, what: string): unknown {
  if (answer.status !== status) throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.json)}`);
  return answer.json;
}

/** @param id a new account's id, which Mailhook chooses by default. */
export async function newCustomer(
  stack: Pick<StackFile, 'baseUrl' | 'opsUrl' | 'adminToken' | 'producerToken'>,
  id?: string,
): Promise<Customer> {
  const admin = (method: 'POST' | 'PUT', path: string, body: unknown) =>
    callApi(`${stack.opsUrl}/admin${path}`, stack.adminToken, method, body);
  const [method, path] = id === undefined ? (['POST', '/accounts'] as const) : (['PUT', `/accounts/${id}`] as const);
  const { id: account } = z
    .object({ id: z.string() })
    .parse(expectStatus(await admin(method, path, { name: 'end to end' }), 201, 'a new account'));
  const { token } = z
    .object({ token: z.string() })
    .parse(expectStatus(await admin('POST', `/accounts/${account}/tokens`, {}), 201, 'a new token'));
  const call: Customer['call'] = (method, path, body) => callApi(`${stack.baseUrl}${path}`, token, method, body);
  return {
    account,
    token,
    call,
    async subscribe(type, address) {
      const body = { type, address, module: 'transactional_email' };
      const answer = await call('POST', '/v3/webhook/subscriptions', body);
      return z.object({ id: z.string() }).parse(expectStatus(answer, 201, 'a new subscription')).id;
    },
    async setCampaign(address) {
      expectStatus(await call('PUT', '/v3/webhook/campaign', { address, active: true }), 200, 'the campaign address');
    },
    async send(events) {
      const body = events.map((event) => ({ ...event, account }));
      const answer = await callApi(`${stack.baseUrl}/v3/events`, stack.producerToken, 'POST', body);
      expectStatus(answer, 202, 'events');
    },
  };
}
