import { randomBytes } from 'node:crypto';
import { createHttpProducer, InvalidEventsError, SendError } from '@mailhook/producer';
import { createQueueProducer } from '@mailhook/producer/queue';
import type { Producer } from '@mailhook/producer';
import { readFlags, oneOf, wholeNumber } from '../command-line.ts';
import { EVENT_TYPES, makeEvents } from './events.ts';
import { requireStackFile } from '../stack/stack-file.ts';
import { createTerminal, seconds } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { runCommand, UserError } from '../user-error.ts';

const HELP = `npm run send -- [options]

Sends events as a producer does.

  --type click        open, click, bounce (notifications) or campaign-open, campaign-click, campaign-unsubscribe (batches)
  --module campaign   the same as the prefix: --module campaign --type click
  --count 100         how many (default 1)
  --account ID        the account they belong to (default: the demo account)
  --batch 1000        events a request (default 1000, at most 10000)
  --ids               give every event an id, so that a repeated request delivers nothing twice
  --url URL           base URL of the api (default: that of the running stack)
  --token TOKEN       producer token (default: that of the running stack)
  --queue             add jobs to the queue email-events in the stack's Redis instead of calling the api
  --help              this text
`;

const FLAGS = {
  type: { type: 'string', default: 'open' },
  module: { type: 'string' },
  count: { type: 'string' },
  account: { type: 'string' },
  batch: { type: 'string' },
  ids: { type: 'boolean', default: false },
  url: { type: 'string' },
  token: { type: 'string' },
  queue: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

type Flags = ReturnType<typeof readSendFlags>;
const readSendFlags = () => readFlags(process.argv.slice(2), FLAGS, 'npm run send --');

async function send(): Promise<void> {
  const terminal = createTerminal();
  const flags = readSendFlags();
  if (flags.help) {
    terminal.line(HELP);
    return;
  }
  const count = wholeNumber('count', flags.count, { fallback: 1, min: 1, max: 100_000_000 });
  const batch = wholeNumber('batch', flags.batch, { fallback: 1000, min: 1, max: 10_000 });
  const type = oneOf('type', typeOf(flags), EVENT_TYPES);
  const { producer, account } = connect(flags);
  try {
    const make = makeEvents({ account, type, hasIds: flags.ids, run: randomBytes(5).toString('hex') });
    await sendAll(producer, make, { count, batch }, terminal);
  } finally {
    await producer.close();
  }
}

function typeOf({ module, type }: Flags): string {
  if (module === undefined || module === 'transactional_email' || type.startsWith('campaign-')) return type;
  oneOf('module', module, ['transactional_email', 'campaign']);
  return `campaign-${type}`;
}

function connect(flags: Flags): { producer: Producer; account: string } {
  const isComplete =
    flags.url !== undefined && flags.token !== undefined && flags.account !== undefined && !flags.queue;
  const stack = isComplete ? undefined : requireStackFile(process.env['DATA_DIR'] ?? '.data');
  const account = flags.account ?? stack?.account;
  if (account === undefined) throw new UserError('This stack has no demo account: name one with --account.');
  if (flags.queue && stack !== undefined) {
    return {
      account,
      producer: createQueueProducer({ url: stack.redisUrl, prefix: process.env['QUEUE_PREFIX'] ?? 'mailhook' }),
    };
  }
  const url = flags.url ?? stack?.baseUrl ?? '';
  if (!URL.canParse(url)) throw new UserError(`--url must be an absolute URL, but is "${url}".`);
  return { account, producer: createHttpProducer({ url, token: flags.token ?? stack?.producerToken ?? '' }) };
}

type MakeEvents = ReturnType<typeof makeEvents>;

async function sendAll(
  producer: Producer,
  make: MakeEvents,
  size: { count: number; batch: number },
  terminal: Terminal,
): Promise<void> {
  const startedAt = performance.now();
  let told = startedAt;
  for (let sent = 0; sent < size.count;) {
    const events = make(sent, Math.min(size.batch, size.count - sent));
    await producer.send(events).catch((error: unknown) => {
      if (!(error instanceof SendError || error instanceof InvalidEventsError)) throw error;
      const before = sent + (error instanceof SendError ? error.accepted : 0);
      throw new UserError(
        before === 0 ? error.message : `${error.message}\n${before} of ${size.count} events were accepted before that.`,
      );
    });
    sent += events.length;
    terminal.progress(progressBar(sent, size.count));
    if (!terminal.isInteractive && performance.now() - told > 5000 && sent < size.count) {
      told = performance.now();
      terminal.line(`${sent} of ${size.count} accepted`);
    }
  }
  const ms = performance.now() - startedAt;
  const rate = size.count >= 100 ? ` (${Math.round(size.count / (ms / 1000)).toLocaleString('en')} a second)` : '';
  terminal.line(`${size.count} ${size.count === 1 ? 'event' : 'events'} accepted in ${seconds(ms)}${rate}.`);
}

const BAR_CHARS = 30;

function progressBar(done: number, of: number): string {
  const filled = Math.floor((done / of) * BAR_CHARS);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_CHARS - filled)}] ${done} of ${of}`;
}

void runCommand(send);
