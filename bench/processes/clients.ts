import type { ReceiverClient } from '@mailhook/delivery';
import axios from 'axios';
import { Agent as HttpAgent } from 'node:http';
import { Agent } from 'undici';

/** HTTP clients for the baselines, in the place of the product's: no egress guard, no whole-exchange deadline, no cap. */
type Client = Pick<ReceiverClient, 'post'>;

/** The limit: undici's own request. */
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
      };
    },
  };
}

/** What a worker is usually written with: axios as it comes, on a keep-alive agent. */
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
      };
    },
  };
}

export type RawClient = 'product' | 'axios' | 'bare';

/** The product's client with every reply read to its end: that is what it goes through axios for, as with batches. */
export const throughAxios = (client: Client): Client => ({
  post: (request) => client.post({ ...request, needsBody: true }),
});
