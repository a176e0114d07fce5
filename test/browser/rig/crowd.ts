import type { OperationsReport } from '@mailhook/core';
import { anEvent, eventually, startReceiver } from '@mailhook/testing';
import { startService } from '../../faults/rig/service.ts';
import type { BadDay } from './bad-day.ts';
import type { TestCustomer } from './services.ts';

const PER_ACCOUNT = 10;
const ACCOUNTS = 30;
const PARKED = 18;
/** More than a destination loses while it becomes parked. */
const EVENTS = 40;

const NAMES = [
  'Acme',
  'Beispielversandhaus Süd GmbH & Co. KG, Abteilung Kundenbindung',
  'Żółta Łódź sp. z o.o.',
  'Umbrella',
];

/** 300 destinations of 30 accounts on the services of a bad day, 18 of them parked, and one worker lost. */
export async function addCrowd({ services }: Pick<BadDay, 'services'>): Promise<() => Promise<void>> {
  const receiver = await startReceiver({
    reply: ({ path }) => (path.startsWith('/broken') ? { status: 500, body: 'Internal Server Error' } : {}),
  });
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, (_, i) => services.newCustomer(`${NAMES[i % NAMES.length] ?? ''} ${i + 1}`)),
  );
  let broken = 0;
  for (const { account, token } of accounts) {
    const api = services.as(token);
    for (let i = 0; i < PER_ACCOUNT; i += 1) {
      const isBroken = broken < PARKED && i < 2;
      if (isBroken) broken += 1;
      const address = `${receiver.url}/${isBroken ? 'broken' : 'hooks'}/${account}/incoming-mail-events/${i}`;
      const types = [isBroken ? 'bounce' : 'open'];
      await api('POST', '/v3/webhook/destinations', { address, module: 'transactional_email', types });
    }
    await services.send([
      anEvent('open', { account }),
      ...Array.from({ length: EVENTS }, () => anEvent('bounce', { account })),
    ]);
  }
  const { redisUrl, prefix } = services.queues;
  const env = { HOST: '127.0.0.1', OPS_PORT: '0', REDIS_URL: redisUrl, QUEUE_PREFIX: prefix, LOG_LEVEL: 'info' };
  const worker = await startService('campaign-batcher', env);
  await worker.kill();
  const parked = async (): Promise<number> => {
    const { totals } = (await services.admin('GET', '/overview')) as OperationsReport;
    return totals.parked - totals.parkedEmpty;
  };
  await eventually(async () => (await parked()) >= PARKED, {
    what: 'parked destinations',
    withinMs: 30_000,
    everyMs: 300,
  });
  await operate(services, accounts);
  return () => receiver.close();
}

/** What operators change in a day: the newest entries of the audit log. */
async function operate(services: BadDay['services'], accounts: readonly TestCustomer[]): Promise<void> {
  const [{ account, token } = { account: '', token: '' }] = accounts.slice(-1);
  const api = services.as(token);
  await services.admin('PUT', `/accounts/${account}`, { name: 'Umbrella Deutschland' });
  await services.admin('POST', '/producer-tokens', { label: 'tracker', accounts: [account] });
  const { items } = (await api('GET', '/v3/webhook/destinations')) as { items: { id: string }[] };
  const [first = { id: '' }, second = first] = items;
  const settings = { types: ['open', 'click'], name: 'CRM', maxRequestsPerSecond: 50 };
  await api('PUT', `/v3/webhook/destinations/${first.id}/settings`, settings);
  await services.admin('POST', `/destinations/${second.id}/pause`, { minutes: 360 });
  await services.admin('POST', `/destinations/${second.id}/resume`);
  await services.admin('POST', '/dead-letters/redrive', { account });
  await services.admin('POST', `/accounts/${account}/portal`, { access: 'read' });
}
