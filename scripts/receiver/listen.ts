import { readFlags, oneOf, wholeNumber } from '../command-line.ts';
import { startReceiver } from './receiver.ts';
import type { ReceivedRequest } from './receiver.ts';
import { ACK_MODES, countConfirmed, replyByPlan } from './reply.ts';
import type { Delivery, Reply } from './reply.ts';
import { clock, createTerminal } from '../terminal.ts';
import { runCommand } from '../user-error.ts';

const HELP = `npm run listen -- [options]

A local receiver of both mechanisms. It prints every request it gets and what it answered.

  --port 4000         port to listen on (default 4000; 0 takes a free one)
  --host 127.0.0.1    address to listen on
  --status 500        answer with this status
  --delay 6000        wait so many milliseconds before answering (Mailhook gives up after 5000)
  --ack all           acknowledge a batch's events: all, none, half, or garbage (no acknowledgement at all)
  --fail-first N      fail the first N requests (with --status, else 500), then take everything
  --quiet             print no bodies
  --help              this text

Then, for example:
  curl -X PUT "$BASE/v3/webhook/campaign" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
       -d '{"address": "http://127.0.0.1:4000/"}'
  npm run send -- --type campaign-click --count 10
  npm run doctor -- http://127.0.0.1:4000/
`;

const FLAGS = {
  port: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  status: { type: 'string' },
  delay: { type: 'string' },
  ack: { type: 'string', default: 'all' },
  'fail-first': { type: 'string' },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const BODY_SHOWN_CHARS = 400;

async function listen(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), FLAGS, 'npm run listen --');
  const terminal = createTerminal();
  if (flags.help) {
    terminal.line(HELP);
    return;
  }
  const plan = {
    status:
      flags.status === undefined
        ? undefined
        : wholeNumber('status', flags.status, { fallback: 200, min: 200, max: 599 }),
    ack: oneOf('ack', flags.ack, ACK_MODES),
    failFirst: wholeNumber('fail-first', flags['fail-first'], { fallback: 0, min: 0, max: 1_000_000_000 }),
  };
  const receiver = await startReceiver({
    host: flags.host,
    port: wholeNumber('port', flags.port, { fallback: 4000, min: 0, max: 65_535 }),
    delayMs: wholeNumber('delay', flags.delay, { fallback: 0, min: 0, max: 3_600_000 }),
    reply: ({ delivery, number }) => replyByPlan(plan, delivery, number),
    onAnswered: (request, reply, wasTaken) => {
      const attempt = request.attempt === undefined ? '' : `, attempt ${request.attempt}`;
      const time = terminal.styled('dim', clock(request.receivedAt));
      const gone = wasTaken ? '' : ' (too late: the sender was gone)';
      terminal.line(
        `${time}  ${request.path}  ${contents(request.delivery)}${attempt}  ->  ${answered(request, reply)}${gone}`,
      );
      if (!flags.quiet) terminal.line(`              ${terminal.styled('dim', shortened(request.body))}`);
    },
  });
  terminal.line(`Listening on ${receiver.url}/ (any path). Stop with Ctrl-C.`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void receiver.close());
}

function contents(delivery: Delivery): string {
  if (delivery.kind === 'notification') return String(delivery.event['name']);
  return delivery.kind === 'batch' ? `batch of ${delivery.events.length}` : delivery.kind;
}

function answered(request: ReceivedRequest, reply: Reply): string {
  if (request.delivery.kind !== 'batch' || reply.status !== 200) return String(reply.status);
  return `${reply.status}, confirmed ${countConfirmed(reply.body)} of ${request.delivery.events.length}`;
}

const shortened = (body: string): string =>
  body.length <= BODY_SHOWN_CHARS ? body : `${body.slice(0, BODY_SHOWN_CHARS)}... (${body.length} characters)`;

void runCommand(listen);
