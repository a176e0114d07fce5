import { randomBytes } from 'node:crypto';
import type { StoredAccount } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import { createSealing, logKeyField, SIGNING_SECRET } from '@mailhook/platform/sealing';
import { PassThrough } from 'node:stream';
import { createReseal } from './reseal.ts';

const newKey = (): Buffer => randomBytes(32);

test('secrets and keys of the event log are encrypted again, each that can be read, and others are named', () => {
  const [current, former, lost] = [newKey(), newKey(), newKey()];
  const lines: string[] = [];
  const stream = new PassThrough().on('data', (line: Buffer) => lines.push(String(line)));
  const logger = createLogger({ level: 'error', service: 'api', pretty: false, stream });
  const sealing = createSealing([current, former]);
  const [before, without] = [createSealing([former]), createSealing([lost])];
  const logKey = (by: typeof sealing, month: number) => ({
    month,
    key: by.seal(`key-${month}`, { account: 'a', field: logKeyField(month) }),
  });
  const secret = before.seal('secret', { account: 'a', field: SIGNING_SECRET });
  const account = {
    id: 'a',
    secrets: [{ secret }],
    destinations: [],
    logKeys: [logKey(before, 1), logKey(without, 2)],
  } as unknown as StoredAccount;
  const resealed = createReseal(sealing, logger)(account);
  const texts = [resealed.secrets[0]?.secret ?? '', ...resealed.logKeys.map(({ key }) => key)];
  expect(texts.map((text) => sealing.isOutdated(text))).toEqual([false, false, true]);
  expect(sealing.open(texts[1] ?? '', { account: 'a', field: logKeyField(1) })).toBe('key-1');
  expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
    'a key of the event log cannot be read, so its account has no event log of that month',
  ]);
  const unreadable = { ...account, secrets: [], logKeys: [logKey(without, 2)] };
  expect(createReseal(sealing, logger)(unreadable)).toBe(unreadable);
});
