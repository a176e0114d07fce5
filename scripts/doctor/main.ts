import { addressFault, destinationSettingsInput, MAILHOOK_VERSION, mechanism } from '@mailhook/core';
import type { Mechanism, ReceiverReport } from '@mailhook/core';
import { createReceiverClient, REPLY_CAP_BYTES } from '@mailhook/delivery';
import type { z } from 'zod';
import { createDoctor, LocalFaultError } from '@mailhook/doctor';
import { oneOf, readArguments } from '../command-line.ts';
import { reportLines } from './report-lines.ts';
import { createTerminal } from '../terminal.ts';
import { runCommand, UserError } from '../user-error.ts';

const HELP = `npm run doctor -- URL [options]

Checks a receiver against the whole protocol, and reports what to fix. It sends up to six requests with sample events
(hashes and messageIds that begin with "sample-", the campaign sample0000, recipients at example.com) to this address
and no other. Exit code 1 when something failed.

  --kind campaign         campaign (batches, acknowledged per event) or transactional (one notification per request)
  --secret whsec_...      sign the requests with this signing secret; may be given twice
  --header 'name: value'  send this header with every request, such as a login; may be repeated
  --json                  print the report as JSON
  --help                  this text

It allows addresses on this machine and in private networks. A running Mailhook checks with its own rules:
POST /v3/webhook/doctor.
`;

const FLAGS = {
  kind: { type: 'string', default: 'campaign' },
  secret: { type: 'string', multiple: true, default: [] as string[] },
  header: { type: 'string', multiple: true, default: [] as string[] },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const TIMEOUT_MS = 5000;
const KIND_NAMES: Readonly<Record<Mechanism, string>> = {
  campaign: 'campaign batches',
  transactional: 'transactional notifications',
};

async function main(): Promise<void> {
  const { values: flags, positionals } = readArguments(process.argv.slice(2), FLAGS, 'npm run doctor --');
  const terminal = createTerminal();
  if (flags.help) {
    terminal.line(HELP);
    return;
  }
  const kind = oneOf('kind', flags.kind, mechanism.options);
  const address = readAddress(positionals);
  const secrets = flags.secret.map(readSecret);
  if (!flags.json) terminal.line(`\nChecking ${address} as a receiver of ${KIND_NAMES[kind]} ...\n`);
  const report = await check({ address, kind, secrets, headers: readHeaders(flags.header) });
  const lines = flags.json
    ? [JSON.stringify(report, undefined, 2)]
    : [...reportLines(report, (style, text) => terminal.styled(style, text)), ''];
  terminal.line(lines.join('\n'));
  if (report.failed > 0) process.exitCode = 1;
}

function readAddress(words: readonly string[]): string {
  const [address, ...more] = words;
  if (address === undefined || more.length > 0) {
    throw new UserError('Give the one address to check: npm run doctor -- http://127.0.0.1:4000/');
  }
  const fault = addressFault(address);
  if (fault !== undefined) throw new UserError(`The address ${fault}.`);
  return address;
}

function readSecret(secret: string): string {
  if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) return secret;
  throw new UserError('--secret must be a signing secret as the API shows it: whsec_ and base64.');
}

function readHeaders(texts: readonly string[]): Record<string, string> {
  const given = texts.map((text) => {
    const [, name = '', value = ''] = /^([^:]+):[ \t]*(.*)$/.exec(text) ?? [];
    if (name === '')
      throw new UserError("--header must be a name and a value, such as --header 'authorization: Bearer ...'.");
    return [name, value];
  });
  const read = destinationSettingsInput.safeParse({ headers: Object.fromEntries(given) as unknown });
  if (read.success) return read.data.headers as Record<string, string>;
  const { path, message } = read.error.issues[0] as z.core.$ZodIssue;
  throw new UserError(`--header ${path.slice(1).join('')} ${message}.`);
}

async function check(receiver: Parameters<ReturnType<typeof createDoctor>>[0]): Promise<ReceiverReport> {
  const client = createReceiverClient({
    timeoutMs: TIMEOUT_MS,
    replyCapBytes: REPLY_CAP_BYTES,
    egress: { allowPrivate: true, allowCidrs: [], deniedPorts: [] },
    version: MAILHOOK_VERSION,
  });
  try {
    return await createDoctor({ client, timeoutMs: TIMEOUT_MS })(receiver);
  } catch (error) {
    throw error instanceof LocalFaultError ? new UserError(error.message) : error;
  } finally {
    await client.close();
  }
}

void runCommand(main);
