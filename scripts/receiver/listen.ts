import { Command, Option } from '@commander-js/extra-typings';
import { escapeUnseen } from '@mailhook/core';
import { wholeNumber } from '../command-line.ts';
import { startReceiver } from './receiver.ts';
import type { ReceivedRequest } from './receiver.ts';
import { ACK_MODES, countConfirmed, replyByPlan, typeOf } from './reply.ts';
import type { Delivery, Reply } from './reply.ts';
import { clock, createTerminal } from '../terminal.ts';

const BODY_SHOWN_CHARS = 400;

export const command = new Command()
  .description('A local receiver of every shape. It prints every request it gets and what it answered.')
  .option('--port <port>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 4000)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--status <status>', 'answer with this status', wholeNumber(200, 599))
  .option(
    '--delay <ms>',
    'wait this number of milliseconds before answering (Mailhook gives up after 5000)',
    wholeNumber(0, 3_600_000),
    0,
  )
  .addOption(
    new Option('--ack <mode>', "acknowledge a batch's events; garbage is no acknowledgement at all")
      .choices(ACK_MODES)
      .default('all' as const),
  )
  .option(
    '--fail-first <number>',
    'fail this number of requests (with --status, else 500), then take everything',
    wholeNumber(0, 1_000_000_000),
    0,
  )
  .option('--quiet', 'print no bodies')
  .addHelpText(
    'after',
    `
Then, for example:
  curl -X PUT "$BASE/v3/webhook/campaign" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
       -d '{"address": "http://127.0.0.1:4000/"}'
  npx mailhook send --type campaign-click --count 10
  npx mailhook doctor http://127.0.0.1:4000/`,
  )
  .action(async ({ host, port, delay, quiet = false, status, ack, failFirst }) => {
    const terminal = createTerminal();
    const receiver = await startReceiver({
      host,
      port,
      delayMs: delay,
      reply: ({ delivery, number }) => replyByPlan({ status, ack, failFirst }, delivery, number),
      onAnswered: (request, reply, wasTaken) => {
        const attempt = request.attempt === undefined ? '' : `, attempt ${request.attempt}`;
        const time = terminal.styled('dim', clock(request.receivedAt));
        const gone = wasTaken ? '' : ' (too late: the sender was gone)';
        terminal.line(
          `${time}  ${escapeUnseen(request.path)}  ${contents(request.delivery)}${attempt}  ->  ` +
            `${answered(request, reply)}${gone}`,
        );
        if (!quiet) terminal.line(`              ${terminal.styled('dim', shortened(request.body))}`);
      },
    });
    terminal.line(`Listening on ${receiver.url}/ (any path). Stop with Ctrl-C.`);
    await new Promise((stop) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    });
    await receiver.close();
  });

function contents(delivery: Delivery): string {
  if (delivery.kind === 'notification') return escapeUnseen(typeOf(delivery.event));
  return 'events' in delivery ? `${delivery.kind} of ${delivery.events.length}` : delivery.kind;
}

function answered(request: ReceivedRequest, reply: Reply): string {
  if (request.delivery.kind !== 'batch' || reply.status !== 200) return String(reply.status);
  return `${reply.status}, confirmed ${countConfirmed(reply.body)} of ${request.delivery.events.length}`;
}

const shortened = (body: string): string =>
  body.length <= BODY_SHOWN_CHARS
    ? escapeUnseen(body)
    : `${escapeUnseen(body.slice(0, BODY_SHOWN_CHARS))}... (${body.length} characters)`;
