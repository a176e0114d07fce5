import { Command, Option } from '@commander-js/extra-typings';
import { addressFault, destinationSettingsInput, mechanism, SHAPES } from '@mailhook/core';
import type { Mechanism, ReceiverReport } from '@mailhook/core';
import { createReceiverClient, REPLY_CAP_BYTES } from '@mailhook/delivery';
import type { z } from 'zod';
import { createDoctor, LocalFaultError } from '@mailhook/doctor';
import { reportLines } from './report-lines.ts';
import { createTerminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';

const TIMEOUT_MS = 5000;
const KIND_NAMES: Readonly<Record<Mechanism, string>> = {
  campaign: 'campaign batches',
  transactional: 'transactional notifications',
};

export const command = new Command()
  .description(
    `Checks a receiver against the whole protocol, and reports what to fix. It sends up to six requests with sample
events (hashes and messageIds that begin with "sample-", the campaign sample0000, recipients at example.com) to this
address and no other. Exit code 1 when something failed.

It allows addresses on this machine and in private networks. A running Mailhook checks with its own rules:
POST /v3/webhook/doctor.`,
  )
  .argument('<url>', 'the address to check', readAddress)
  .addOption(
    new Option('--kind <kind>', 'batches, acknowledged per event, or single notifications')
      .choices(mechanism.options)
      .default('campaign' as const),
  )
  .addOption(
    new Option('--shape <shape>', 'send events of version 2 in this shape; without it, those of version 1').choices(
      SHAPES,
    ),
  )
  .option('--secret <secret>', 'sign the requests with this signing secret, whsec_...; may be given twice', addSecret)
  .option('--header <header>', "send 'name: value' with every request, such as a login; may be repeated", addHeader)
  .option('--json', 'print the report as JSON')
  .action(async (address, { kind, shape, secret: secrets = [], header = [], json = false }) => {
    const terminal = createTerminal();
    const headers = readHeaders(header);
    const what = shape === undefined ? KIND_NAMES[kind] : `events of version 2, ${shape}`;
    if (!json) terminal.line(`\nChecking ${address} as a receiver of ${what} ...\n`);
    const asked = shape === undefined ? {} : { shape, version: 2 as const };
    const report = await check({ address, kind, ...asked, secrets, headers });
    const lines = json
      ? [JSON.stringify(report, undefined, 2)]
      : [...reportLines(report, (style, text) => terminal.styled(style, text)), ''];
    terminal.line(lines.join('\n'));
    if (report.failed > 0) process.exitCode = 1;
  });

function readAddress(address: string): string {
  const fault = addressFault(address);
  if (fault !== undefined) throw new UserError(`The address ${fault}.`);
  return address;
}

function addSecret(secret: string, others: readonly string[] = []): string[] {
  if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) return [...others, secret];
  throw new UserError('--secret must be a signing secret as the API shows it: whsec_ and base64.');
}

type Header = readonly [name: string, value: string];

function addHeader(text: string, others: readonly Header[] = []): Header[] {
  const [, name = '', value = ''] = /^([^:]+):[ \t]*(.*)$/.exec(text) ?? [];
  if (name !== '') return [...others, [name, value]];
  throw new UserError("--header must be a name and a value, such as --header 'authorization: Bearer ...'.");
}

function readHeaders(given: readonly Header[]): Record<string, string> {
  const read = destinationSettingsInput.safeParse({ headers: Object.fromEntries(given) });
  if (read.success) return read.data.headers as Record<string, string>;
  const { path, message } = read.error.issues[0] as z.core.$ZodIssue;
  throw new UserError(`--header ${path.slice(1).join('')} ${message}.`);
}

async function check(receiver: Parameters<ReturnType<typeof createDoctor>>[0]): Promise<ReceiverReport> {
  const client = createReceiverClient({
    timeoutMs: TIMEOUT_MS,
    replyCapBytes: REPLY_CAP_BYTES,
    egress: { allowPrivate: true, allowCidrs: [], deniedPorts: [] },
  });
  try {
    return await createDoctor({ client, timeoutMs: TIMEOUT_MS })(receiver);
  } catch (error) {
    throw error instanceof LocalFaultError ? new UserError(error.message) : error;
  } finally {
    await client.close();
  }
}
