import type { StackSettings } from '../stack/settings.ts';
import { shownPath } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import type { Demo } from './demo.ts';

export interface SummaryDeps {
  readonly settings: StackSettings;
  readonly terminal: Terminal;
  readonly demo: Demo | undefined;
}

const PROBE_TIMEOUT_MS = 5000;

/** Prints where everything is. Names a page only if it answers. */
export async function printSummary({ settings, terminal, demo }: SummaryDeps): Promise<void> {
  const pages = [
    {
      name: 'Settings page',
      url: `${settings.baseUrl}/settings/webhooks`,
      note: demo === undefined ? '' : 'sign in with the access token',
    },
    { name: 'API docs', url: `${settings.baseUrl}/docs`, note: '' },
    { name: 'Operations', url: `${settings.opsUrl}/admin`, note: 'user admin, password: the admin token' },
    { name: 'Bull Board', url: `${settings.opsUrl}/admin/queues`, note: 'user admin, password: the admin token' },
    { name: 'Metrics', url: `${settings.opsUrl}/metrics`, note: '' },
  ];
  const answering = await Promise.all(pages.map(async ({ url }) => isAnswering(url, settings.adminToken)));
  const row = (name: string, value: string, note = ''): void => {
    terminal.line(`  ${name.padEnd(16)}${value}${note === '' ? '' : terminal.styled('dim', `  (${note})`)}`);
  };
  row('API', settings.baseUrl);
  for (const [index, { name, url, note }] of pages.entries()) {
    if (answering[index] === true) row(name, url, note);
  }
  terminal.line();
  if (demo !== undefined) {
    row('Demo account', demo.account, `its events come to the receiver on ${demo.receiverUrl}`);
    row('Access token', demo.token);
  }
  row('Producer token', settings.producerToken);
  row('Admin token', settings.adminToken);
  terminal.line();
  if (demo !== undefined) {
    terminal.line('  Send more:   npx mailhook send --type click --count 100');
    terminal.line(
      '  Yours:       npx mailhook listen   starts a receiver of your own. It gets, with one of these commands,',
    );
    for (const { what, curl, send } of ownCommands(settings.baseUrl, demo.token))
      terminal.line(`               ${what}:\n                 ${curl}\n                 ${send}`);
  }
  terminal.line('  Check yours: npx mailhook doctor URL');
  terminal.line(`  Logs are in ${shownPath(settings.logDir)}. Ctrl-C stops everything.\n`);
}

/** The commands that connect the receiver of `npx mailhook listen`, and that send it an event. */
export function ownCommands(baseUrl: string, token: string) {
  const connect = (method: string, path: string, body: object): string =>
    `curl -X ${method} ${baseUrl}/v3/webhook/${path} -H 'Authorization: Bearer ${token}' -H 'Content-Type: ` +
    `application/json' -d '${JSON.stringify({ address: OWN_RECEIVER, ...body })}'`;
  return [
    {
      what: 'clicks of transactional messages, as notifications',
      curl: connect('POST', 'subscriptions', { type: 'click', module: 'transactional_email' }),
      send: 'npx mailhook send --type click',
    },
    {
      what: 'events of campaigns, in batches',
      curl: connect('PUT', 'campaign', { active: true }),
      send: 'npx mailhook send --type campaign-click',
    },
  ];
}

const OWN_RECEIVER = 'http://127.0.0.1:4000';

async function isAnswering(url: string, adminToken: string): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}`;
  try {
    const headers = /\/admin(\/|$)/.test(url) ? { authorization } : {};
    const reply = await fetch(url, { headers, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    // Reads the whole body, so that the connection is free and does not delay a stop.
    await reply.arrayBuffer();
    return reply.ok;
  } catch {
    return false;
  }
}
