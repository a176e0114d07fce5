import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { SHAPES } from '@mailhook/core';
import { eventually, unlessMissing } from '@mailhook/testing';
import type { TestTool } from '@mailhook/testing';
import { GO_ENVIRONMENT, isGoTested } from './go.suite.ts';
import {
  EVENTS_OF_VERSION_2,
  expectGoodReports,
  expectToTakeVersion2,
  withReceiver,
} from '../docs/receiver-program.suite.ts';

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

/** Compiling a receiver in Go takes long on a machine that never did. */
const WITHIN_MS = 120_000;

describe.each(LANGUAGES)('the receiver of version 2 in $name', ({ tool, build, ...program }) => {
  unlessMissing(test, tool)(
    'takes every shape, stores each event once, and refuses what Mailhook did not send',
    async () => {
      await build?.(program.command);
      const secret = `whsec_${randomBytes(24).toString('base64')}`;
      const env = { WEBHOOK_SECRETS: secret, STORE: path.join(folder, `${program.name}.json`) };
      await withReceiver({ ...program, env }, async (receiver) => {
        const statusOf = async (body: string, secrets = [secret]) => {
          const request = { account: 'a', webhookId: 'w1', attempt: 1, needsBody: false };
          const exchange = await receiver.client.post({ ...request, address: receiver.address, body, secrets });
          return exchange.type === 'reply' ? exchange.status : exchange.type;
        };
        await expectToTakeVersion2(receiver, [secret]);
        const unknown =
          '{"version":2,"id":"event-of-tomorrow","module":"campaign","event":"forward","time":1,"more":{}}';
        expect(await statusOf(`[${unknown}]`)).toBe(200);

        const events = EVENTS_OF_VERSION_2.length + 1;
        await eventually(() => receiver.printed().includes(`${events} events stored`), { what: 'all events' });
        for (const body of ['[', '[1]', '{"module":"transactional_email"}', 'null', '[null]'])
          expect([body, await statusOf(body)]).toEqual([body, 400]);
        expect(await statusOf(unknown, [`whsec_${randomBytes(24).toString('base64')}`])).toBe(401);
        expect(receiver.printed()).not.toContain(`${events + 1} events stored`);

        const examinations = SHAPES.map((shape) => ({ kind: 'transactional', shape, version: 2 }) as const);
        // PHP's built-in server closes every connection.
        await expectGoodReports(receiver, examinations, [secret], ['keep-alive']);
      });
    },
    WITHIN_MS,
  );
});
