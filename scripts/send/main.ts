import { randomBytes } from 'node:crypto';
import { Command, Option } from '@commander-js/extra-typings';
import { createHttpProducer, InvalidEventsError, SendError } from '@mailhook/producer';
import { createQueueProducer } from '@mailhook/producer/queue';
import type { Producer } from '@mailhook/producer';
import { wholeNumber } from '../command-line.ts';
import type { EventType } from './events.ts';
import { acceptedText, EVENT_TYPES, makeEvents, SHOWN_TYPES } from './events.ts';
import { requireStackFile } from '../stack/stack-file.ts';
import { createTerminal } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';

const parsed = new Command()
  .description('Sends events as a producer does.')
  .option('--type <type>', SHOWN_TYPES, 'open')
  .addOption(
    new Option('--module <module>', 'the same as the prefix: --module campaign --type click').choices([
      'transactional_email',
      'campaign',
    ] as const),
  )
  .option('--count <number>', 'how many', wholeNumber(1, 100_000_000), 1)
  .option('--account <id>', 'the account they belong to (default: the demo account)')
  .option('--batch <number>', 'events per request', wholeNumber(1, 10_000), 1000)
  .option('--ids', 'give every event an id, so that a repeated request delivers nothing twice')
  .option('--url <url>', 'base URL of the api (default: that of the running stack)')
  .option('--token <token>', 'producer token (default: that of the running stack)')
  .option('--queue', "add jobs to the queue email-events in the stack's Redis instead of calling the api");

type Flags = ReturnType<typeof parsed.opts>;

export const command = parsed.action(async (flags) => {
  const type = eventTypeOf(flags);
  const { producer, account } = connect(flags);
  try {
    const make = makeEvents({ account, type, hasIds: flags.ids === true, run: randomBytes(5).toString('hex') });
    await sendAll(producer, make, { ...flags, type }, createTerminal());
  } finally {
    await producer.close();
  }
});

function eventTypeOf({ module, type }: Flags): EventType {
  const wanted = module === 'campaign' && !type.startsWith('campaign-') ? `campaign-${type}` : type;
  const found = EVENT_TYPES.find((known) => known === wanted);
  if (found === undefined) throw new UserError(`--type must be one of ${EVENT_TYPES.join(', ')}, but is "${wanted}".`);
  return found;
}

function connect(flags: Flags): { producer: Producer; account: string } {
  const isComplete =
    flags.url !== undefined && flags.token !== undefined && flags.account !== undefined && flags.queue !== true;
  const stack = isComplete ? undefined : requireStackFile(process.env['DATA_DIR'] ?? '.data');
  const account = flags.account ?? stack?.account;
  if (account === undefined) throw new UserError('This stack has no demo account: name one with --account.');
  if (flags.queue === true && stack !== undefined) {
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
  size: { count: number; batch: number; type: EventType },
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
  terminal.line(acceptedText(size, performance.now() - startedAt));
}

const BAR_CHARS = 30;

function progressBar(done: number, of: number): string {
  const filled = Math.floor((done / of) * BAR_CHARS);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_CHARS - filled)}] ${done} of ${of}`;
}
