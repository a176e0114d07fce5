import { PassThrough } from 'node:stream';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { aCampaignEvent } from '@mailhook/testing';
import { compose as composeBatcher } from '../../services/campaign-batcher/src/compose.ts';
import { loadConfig } from '../../services/campaign-batcher/src/config.ts';
import { alertsRig } from './alerts-rig.suite.ts';

describe('e-mail alerts of several campaign endpoints', () => {
  const { parts, api, subjectsTo, arrival, linkIn, newAccount } = alertsRig();
  let batcher: Closeable;
  beforeAll(async () => {
    const environment = {
      ...parts.environment,
      CAMPAIGN_RETRY_SCHEDULE: parts.environment['TRANSACTIONAL_RETRY_SCHEDULE'],
    };
    const logger = createLogger({
      level: 'warn',
      service: 'batcher',
      pretty: false,
      stream: new PassThrough().resume(),
    });
    batcher = await composeBatcher(loadConfig(environment), logger);
  });
  afterAll(() => batcher.close());

  test('name the one that fails, link to its page, and say when it works again', async () => {
    const { account, email } = await newAccount();
    const call = api().as(account.token);
    const at = (path: string): string => `${parts.customer.url}/${account.id}/${path}`;
    await call('put', '/v3/webhook/campaign', { address: at('classic') });
    const second = { address: at('second'), module: 'campaign', types: ['*'], shape: 'array', name: 'Data lake' };
    const { id } = (await call('post', '/v3/webhook/destinations', second)).body as { id: string };
    const reply = (status: number) =>
      parts.customer.setReply(({ path, json }) =>
        path.endsWith('/second')
          ? { status }
          : { json: (json as { hash: string }[]).map(({ hash }) => ({ hash, status: true })) },
      );
    reply(500);
    await api().post([aCampaignEvent({ account: account.id }), aCampaignEvent({ account: account.id })]);
    const failing = await arrival(email, 2);
    expect(failing.text).toContain(`Address: ${new URL(parts.customer.url).origin}`);
    expect(failing.text).toContain('Waiting events: 2');
    expect(linkIn(failing, '/settings/webhooks')).toBe(`/settings/webhooks/endpoints/${id}`);
    reply(204);
    await arrival(email, 3);
    expect(subjectsTo(email).slice(1)).toEqual([
      'Your webhook fails: Data lake',
      'Your webhook works again: Data lake',
    ]);
  }, 60_000);
});
