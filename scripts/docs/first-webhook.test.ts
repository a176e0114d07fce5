import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { eventually } from '@mailhook/testing';
import { en } from '../../packages/console/src/messages/en/index.ts';
import { startServices } from '../../test/browser/rig/services.ts';
import { withReceiver } from './receiver-program.suite.ts';

const run = promisify(execFile);
const guide = readFileSync('docs/guides/first-webhook.md', 'utf8');

test('the guide has the steps of the first run', () => {
  const { address, test: tested, event } = en.overview;
  const steps = [...guide.matchAll(/^## \d\. (.*)$/gm)].map(([, title]) => title);
  expect(steps).toEqual([address, tested, event]);
});

test('its commands, as they are written, bring events to the receiver', async () => {
  const services = await startServices();
  const [forCustomers = '', onMachine = ''] = guide.split('## On your machine');
  const [start = '', setup = '', send = ''] = commandsIn(onMachine);
  expect(start).toContain('npm start');
  try {
    const receiver = { name: 'Node', command: 'node', args: () => ['docs/guides/receivers/receiver.mjs'] };
    await withReceiver(receiver, async (running) => {
      const { address } = running;
      const { baseUrl, opsUrl, adminToken, producerToken } = services;
      const script = [setup, ...commandsIn(forCustomers), send]
        .join('\n')
        .replaceAll(/^(?:BASE=https:|TOKEN=mhk_).*$/gm, '')
        .replaceAll(/^HOOK=.*$/gm, `HOOK=${address}`)
        .replace('http://127.0.0.1:3000', baseUrl)
        .replace('http://127.0.0.1:3100', opsUrl)
        .replace('ADMIN_TOKEN=...', `ADMIN_TOKEN=${adminToken}`)
        .replaceAll('npx mailhook send', `./scripts/mailhook.ts send --url ${baseUrl} --token ${producerToken}`);
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script]);
      expect(stdout).toContain(`Sign in to ${baseUrl}/settings/webhooks with mhk_`);
      expect(stdout).toContain('"success":true');
      await eventually(() => running.printed().includes('4 events stored'), {
        what: 'three events and one',
        withinMs: 20_000,
      });
    });
  } finally {
    await services.close();
  }
}, 120_000);

const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
