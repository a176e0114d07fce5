import { setTimeout as wait } from 'node:timers/promises';
import { escapeUnseen } from '@mailhook/core';
import { createHttpProducer } from '@mailhook/producer';
import { startReceiver } from '../receiver/receiver.ts';
import { replyByPlan } from '../receiver/reply.ts';
import type { StackSettings } from '../stack/settings.ts';
import { clock, seconds } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { connectReceiver, provideAccount } from './account.ts';
import type { DemoAccount } from './account.ts';
import { createApiClient } from './api-client.ts';
import { makeSamples, tellSamples } from './samples.ts';
import type { Samples } from './samples.ts';
import { createPlay, tellRequest } from './script.ts';
import type { Play } from './script.ts';

/** A demo account with a receiver in this process, which prints on the terminal what it gets. */
export interface Demo extends DemoAccount {
  readonly receiverUrl: string;
  /** Sends the samples. Resolves when the receiver has taken them all, or after 20 s. */
  run(signal: AbortSignal): Promise<void>;
}

export interface DemoDeps {
  readonly settings: StackSettings;
  readonly terminal: Terminal;
}

/** The default schedule waits 5 s before the first resend. With longer waits the demo does not wait for all samples. */
const OVER_WITHIN_MS = 20_000;
const LINES_PER_SECOND = 20;

export async function wireDemo({ settings, terminal }: DemoDeps): Promise<Demo> {
  const account = await provideAccount(settings);
  const say = sayAtMost(terminal, LINES_PER_SECOND);
  let play: Play | undefined;
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    delayMs: 0,
    reply: (request) =>
      play?.answer(request) ??
      replyByPlan({ status: undefined, ack: 'all', failFirst: 0 }, request.delivery, request.number),
    onAnswered: (request, reply) => say('received', tellRequest(request, reply)),
  });
  const ownAddress = await connectReceiver(createApiClient(settings.baseUrl, account.token), receiver.url);
  return {
    ...account,
    receiverUrl: receiver.url,
    run: async (signal) => {
      const samples = makeSamples(account.account, new Date());
      play = createPlay(ownAddress === undefined ? samples : { ...samples, campaign: [] });
      await sendSamples(settings, samples, say);
      await whenOver(play, signal, terminal);
      if (ownAddress !== undefined) terminal.line(`  The campaign events go to your own address, ${ownAddress}.\n`);
    },
  };
}

type Say = (what: string, text: string) => void;

async function sendSamples(settings: StackSettings, samples: Samples, say: Say) {
  const producer = createHttpProducer({ url: settings.baseUrl, token: settings.producerToken });
  for (const line of tellSamples(samples)) say('sent', line);
  await producer.send([...samples.transactional, ...samples.campaign]);
  await producer.close();
}

async function whenOver(play: Play, signal: AbortSignal, terminal: Terminal): Promise<void> {
  const startedAt = performance.now();
  while (!play.isOver) {
    await wait(50, undefined, { signal });
    if (performance.now() - startedAt > OVER_WITHIN_MS) {
      terminal.line('\n  Not all samples are delivered yet; the rest follows as RETRY_SCHEDULE has it.\n');
      return;
    }
  }
  terminal.line(
    '\n  Every event for this receiver was delivered and acknowledged, after ' +
      `${seconds(performance.now() - startedAt)}.\n`,
  );
}

/** Prints at most `linesPerSecond` lines per second, and then the number of lines that it left out. */
function sayAtMost(terminal: Terminal, linesPerSecond: number): Say {
  let second = 0;
  let lines = 0;
  return (what, text) => {
    const now = new Date();
    const thisSecond = Math.floor(now.getTime() / 1000);
    if (thisSecond !== second) {
      if (lines > linesPerSecond) terminal.line(`  ... and ${lines - linesPerSecond} more requests in that second`);
      [second, lines] = [thisSecond, 0];
    }
    lines += 1;
    if (lines > linesPerSecond) return;
    terminal.line(`  ${terminal.styled('dim', clock(now))}  ${what.padEnd(8)}  ${escapeUnseen(text)}`);
  };
}
