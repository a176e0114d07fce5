import type { ReceiverClient } from '@mailhook/delivery';
import { deliveryHeaders } from '@mailhook/delivery';
import axios from 'axios';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';

/**
 * HTTP clients for the baselines. Unlike the product's client, they have no egress guard, no deadline for the whole
 * exchange, and no cap.
 */
type Client = Pick<ReceiverClient, 'post'>;

/** undici alone, which shows the upper limit of a client. */
export function bareClient(agent = new Agent({ connections: null })): Client {
  return {
    async post({ address, body, ...identity }) {
      const headers = deliveryHeaders(identity, body, Date.now());
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
        headers,
      };
    },
  };
}

/** All names of the bench's receivers, at no cost. */
const lookup: LookupFunction = (_name, { all = false }, callback) => {
  if (all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

/**
 * The usual client of a worker: unmodified axios. Its agents keep an idle connection this long (Node's default agent: 5
 * s), or until the receiver closes it.
 */
export function axiosClient(keepMs?: number): Client {
  const options = {
    keepAlive: true,
    lookup,
    ...(keepMs === undefined ? {} : { timeout: keepMs, scheduling: 'lifo' as const }),
  };
  const [httpAgent, httpsAgent] = [new HttpAgent(options), new HttpsAgent(options)];
  const client = axios.create({ httpAgent, httpsAgent, timeout: 5000, validateStatus: null });
  return {
    async post({ address, body, ...identity }) {
      const headers = deliveryHeaders(identity, body, Date.now());
      const reply = await client.post<unknown>(address, body, {
        headers: { ...headers },
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
        headers,
      };
    },
  };
}

export type RawClient = 'product' | 'axios' | 'bare';

/** The product's client, made to read every reply to its end. It then posts through axios, as it does for batches. */
export const throughAxios = (client: Client): Client => ({
  post: (request) => client.post({ ...request, needsBody: true }),
});
