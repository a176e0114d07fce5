import type { ReceiverClient } from '@mailhook/delivery';
import axios from 'axios';
import { Agent as HttpAgent } from 'node:http';
import { Agent } from 'undici';

/**
 * HTTP clients for the baselines. Unlike the product's client, they have no egress guard, no deadline for the whole
 * exchange, and no cap.
 */
type Client = Pick<ReceiverClient, 'post'>;

/** undici alone, which shows the upper limit of a client. */
export function bareClient(agent = new Agent({ connections: null })): Client {
  return {
    async post({ address, body, headers }) {
      const { origin, pathname } = new URL(address);
      const reply = await agent.request({ origin, path: pathname, method: 'POST', body, headers });
      const text = await reply.body.text();
      return {
        type: 'reply',
        status: reply.statusCode,
        statusText: '',
        retryAfter: undefined,
        body: text,
        durationMs: 0,
        isConnectionReused: true,
        wasSent: true,
      };
    },
  };
}

/** The usual client of a worker: unmodified axios with a keep-alive agent. */
export function axiosClient(): Client {
  const client = axios.create({ httpAgent: new HttpAgent({ keepAlive: true }), timeout: 5000, validateStatus: null });
  return {
    async post({ address, body, headers }) {
      const reply = await client.post<unknown>(address, body, {
        headers: { 'content-type': 'application/json', ...headers },
      });
      return {
        type: 'reply',
        status: reply.status,
        statusText: '',
        retryAfter: undefined,
        body: undefined,
        durationMs: 0,
        isConnectionReused: true,
        wasSent: true,
      };
    },
  };
}

export type RawClient = 'product' | 'axios' | 'bare';

/** The product's client, made to read every reply to its end. It then posts through axios, as it does for batches. */
export const throughAxios = (client: Client): Client => ({
  post: (request) => client.post({ ...request, needsBody: true }),
});
