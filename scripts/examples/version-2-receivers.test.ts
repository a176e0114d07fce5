import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  arrayBody,
  batchBody,
  batchOutcome,
  exampleEvent,
  fragmentHashes,
  objectOf,
  typesOf,
  version2Fragment,
} from '@mailhook/core';
import { eventually, unlessMissing } from '@mailhook/testing';
import type { TestTool } from '@mailhook/testing';
import { GO_ENVIRONMENT, isGoTested } from './go.suite.ts';
import { withReceiver } from '../docs/receiver-program.suite.ts';

/** The tests run the receivers of version 2 in docs/guides as the guides say. */
const FOLDER = 'docs/guides/receivers';

interface Language {
  readonly name: string;
  readonly command: string;
  readonly tool?: TestTool;
  readonly args: (port: number) => readonly string[];
  /** Makes the command. */
  readonly build?: (command: string) => Promise<unknown>;
}

const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-receivers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LANGUAGES: readonly Language[] = [
  { name: 'Node', command: process.execPath, args: () => [`${FOLDER}/events.mjs`] },
  { name: 'Python', command: 'python3', tool: 'python3', args: () => ['-B', `${FOLDER}/events.py`] },
  { name: 'PHP', command: 'php', tool: 'php', args: (port) => ['-S', `127.0.0.1:${port}`, `${FOLDER}/events.php`] },
  ...(isGoTested()
    ? [
        {
          name: 'Go',
          command: path.join(folder, 'events'),
          args: () => [],
          build: (command: string) =>
            promisify(execFile)('go', ['build', '-o', command, `${FOLDER}/events.go`], {
              env: { ...process.env, ...GO_ENVIRONMENT },
            }),
        },
      ]
    : []),
];

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
/** An event of each type, as it waits in Redis. */
const fragments = typesOf('transactional_email').map((name, number) =>
  version2Fragment({ ...exampleEvent(name), id: `event-number-${number}` }, sha256),
);
const [first = '', second = ''] = fragments;
/** Compiling a receiver in Go takes long on a machine that never did. */
const WITHIN_MS = 120_000;

describe.each(LANGUAGES)('the receiver of version 2 in $name', ({ tool, build, ...program }) => {
  unlessMissing(test, tool)(
    'takes every shape, stores each event once, and refuses what Mailhook did not send',
    async () => {
      await build?.(program.command);
      const secret = `whsec_${randomBytes(24).toString('base64')}`;
      const env = { WEBHOOK_SECRETS: secret, STORE: path.join(folder, `${program.name}.json`) };
      await withReceiver({ ...program, env }, async ({ address, client, printed }) => {
        const post = (body: string, secrets = [secret]) =>
          client.post({ account: 'a', address, body, webhookId: 'w1', attempt: 1, secrets, needsBody: true });
        const statusOf = async (body: string, secrets?: string[]) => {
          const exchange = await post(body, secrets);
          return exchange.type === 'reply' ? exchange.status : exchange.type;
        };

        expect(await statusOf(objectOf(first))).toBe(200);
        expect(await statusOf(objectOf(first))).toBe(200);
        expect(await statusOf(arrayBody([first, second].join('\n')))).toBe(200);
        const unknown =
          '{"version":2,"id":"event-of-tomorrow","module":"campaign","event":"forward","time":1,"more":{}}';
        expect(await statusOf(`[${unknown}]`)).toBe(200);

        const batch = fragments.join('\n');
        const acknowledged = await post(batchBody(batch, 2));
        expect(acknowledged.type).not.toBe('local-fault');
        if (acknowledged.type !== 'local-fault')
          expect(batchOutcome(acknowledged, fragmentHashes(batch))).toMatchObject({
            name: 'delivered',
            unconfirmed: [],
          });

        const stored = `${fragments.length + 1} events stored`;
        await eventually(() => printed().includes(stored), { what: stored });
        for (const body of ['[', '[1]', '{"module":"transactional_email"}', 'null', '[null]'])
          expect([body, await statusOf(body)]).toEqual([body, 400]);
        expect(await statusOf(objectOf(second), [`whsec_${randomBytes(24).toString('base64')}`])).toBe(401);
        expect(printed()).not.toContain(`${fragments.length + 2} events stored`);
      });
    },
    WITHIN_MS,
  );
});
