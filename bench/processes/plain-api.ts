import { producerEvent } from '@mailhook/core';
import { listen } from '@mailhook/platform/http-server';
import { connectRedis, whenReady } from '@mailhook/platform/redis';
import express from 'express';
import { plainQueue } from '../baselines.ts';
import { serve } from './calls.ts';
import { bodyOf } from './events.ts';

/** Plain's intake over HTTP: an Express route that validates an event, looks up its address and adds a job. */
async function start({ token, redisUrl }: { token: string; redisUrl: string }): Promise<number> {
  const connection = connectRedis({ url: redisUrl, role: 'worker', name: 'plain-api', onError: () => undefined });
  await whenReady(connection, 5000);
  const { add } = plainQueue(connection, 'transactional');
  const app = express();
  app.post('/v3/events', express.json(), async (request, response) => {
    const event = producerEvent.safeParse(request.body);
    const address = addresses.get(event.data?.account ?? '');
    if (request.headers.authorization !== `Bearer ${token}`) response.status(401).json({ error: 'unauthorized' });
    else if (event.data === undefined || address === undefined) response.status(422).json({ error: 'invalid' });
    else {
      await add({ address, body: bodyOf(event.data) });
      response.status(202).json({ accepted: 1 });
    }
  });
  return (await listen({ host: '127.0.0.1', port: 0, app })).port;
}

let addresses: ReadonlyMap<string, string> = new Map();

const handlers = {
  start,
  /** Sets the address of each account. */
  route: (routes: readonly (readonly [account: string, address: string])[]) => {
    addresses = new Map(routes);
  },
};
export type PlainApiApi = typeof handlers;

serve(handlers);
