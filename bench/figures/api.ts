import type { Mechanism } from '@mailhook/core';
import { freePort } from '@mailhook/testing';
import { z } from 'zod';
import { createApiClient } from '../../scripts/demo/api-client.ts';
import type { Lab } from '../lab/lab.ts';
import { ADMIN_TOKEN } from '../lab/service.ts';
import type { Intake } from '../processes/http-intake.ts';
import type { RunPlace } from '../processes/places.ts';
import { addressAt } from '../processes/places.ts';

const PRODUCER_TOKEN = 'bench-producer-token-0123456789';
const AT_ONCE = 16;

/** An api process of the product, and a way to make accounts through it. */
export interface BenchApi {
  readonly pid: number;
  readonly intake: Intake;
  /** Makes one account per destination. Its campaign address, or its subscription to clicks, belongs to a new run. */
  newPlace(kind: Mechanism, destinations: number, baseUrl?: string): Promise<RunPlace>;
}

export async function openApi(lab: Lab, more: Readonly<Record<string, string>> = {}): Promise<BenchApi> {
  const port = await freePort();
  const api = await lab.api({
    PORT: String(port),
    PRODUCER_TOKEN,
    WAITING_MAX_EVENTS: '1000000000',
    WAITING_MAX_BYTES: '1000000000000',
    ...more,
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  const admin = createApiClient(`http://127.0.0.1:${api.opsPort}`, ADMIN_TOKEN);
  const newAccount = async (): Promise<{ account: string; token: string }> => {
    const { id } = z.object({ id: z.string() }).parse(await admin.call('POST', '/admin/accounts', { name: 'Bench' }));
    const reply = await admin.call('POST', `/admin/accounts/${id}/tokens`, { label: 'bench' });
    return { account: id, token: z.object({ token: z.string() }).parse(reply).token };
  };
  return {
    pid: api.pid,
    intake: { url: `${baseUrl}/v3/events`, token: PRODUCER_TOKEN },
    async newPlace(kind, destinations, receivers = lab.baseUrl) {
      const place: RunPlace = { run: lab.newRun(), kind, baseUrl: receivers };
      const accounts: string[] = [];
      for (let from = 0; from < destinations; from += AT_ONCE) {
        const some = Array.from({ length: Math.min(AT_ONCE, destinations - from) }, async (_, i) => {
          const { account, token } = await newAccount();
          const client = createApiClient(baseUrl, token);
          const address = addressAt(place, from + i);
          if (kind === 'campaign') await client.call('PUT', '/v3/webhook/campaign', { address, active: true });
          else
            await client.call('POST', '/v3/webhook/subscriptions', {
              address,
              type: 'click',
              module: 'transactional_email',
            });
          return account;
        });
        accounts.push(...(await Promise.all(some)));
      }
      return { ...place, accounts };
    },
  };
}
