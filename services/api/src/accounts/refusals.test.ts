import { ENVIRONMENT_TOKEN } from './producer-tokens.ts';
import request from 'supertest';
import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { aClick, eventually } from '@mailhook/testing';
import type { OperationsReport } from '@mailhook/core';

describe('refused requests of producers', () => {
  let api: ApiRig;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const reported = async () =>
    ((await api.admin('get', '/admin/overview')).body as OperationsReport).installation.refused;

  it('are counted by producer and code, and shown to operators; accepted ones are not', async () => {
    const account = await api.newAccount();
    expect((await api.post(aClick({ account: account.id }))).status).toBe(202);
    for (let i = 0; i < 3; i += 1) expect((await api.post({ name: 'click' })).status).toBe(422);
    expect((await api.post(aClick({ account: 'acc_of_nobody' }))).status).toBe(422);
    const send = api.as(PRODUCER_TOKEN)('post', '/v3/events').set('content-type', 'application/json').send('{');
    expect((await send).status).toBe(400);
    const counts = async () => (await reported()).map(({ code, requests }) => [code, requests]);
    await eventually(async () => (await counts()).length === 3, { what: 'the counts of a second' });
    expect(await counts()).toEqual(
      expect.arrayContaining([
        ['validation_failed', 3],
        ['unknown_account', 1],
        ['malformed_json', 1],
      ]),
    );
    const pages = request(api.opsUrl).get('/admin/pages/queues').auth('admin', ADMIN_TOKEN);
    expect((await pages).text).toMatch(/PRODUCER_TOKEN<.*validation_(?:<wbr \/>)?failed.*>3</s);
    expect((await reported())[0]).toMatchObject({ producer: ENVIRONMENT_TOKEN, label: 'PRODUCER_TOKEN' });
  });
});
