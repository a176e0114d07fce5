import { Command } from '@commander-js/extra-typings';
import { wireDemo } from '../demo/demo.ts';
import type { Demo } from '../demo/demo.ts';
import { printSummary } from '../demo/summary.ts';
import { readSettings } from './settings.ts';
import { createStack } from './stack.ts';
import type { Stack, StartOptions } from './stack.ts';
import { createTerminal } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';

/** npm and the terminal may both pass on one Ctrl-C. Only a signal after this time counts as a second one. */
const SAME_SIGNAL_WITHIN_MS = 700;

export const command = new Command()
  .description(
    'Builds Mailhook and runs it on this machine: Redis, the three services, and a demo that shows them at work.',
  )
  .option('--no-demo', 'no demo account, receiver or sample events')
  .option('--mongo', 'keep subscriptions in a private MongoDB instead of in Redis')
  .option('--no-install', 'install nothing; if Redis (or, with --mongo, mongod) is missing, say how to get it')
  .addHelpText(
    'after',
    `
Settings come from the environment: PORT (3000), OPS_PORT (3100), HOST (127.0.0.1), DATA_DIR (.data), REDIS_URL,
MONGO_URL, ADMIN_TOKEN, PRODUCER_TOKEN, EVENT_LOG (event-log in DATA_DIR; empty: nothing is kept), and every variable of
the services. docs/configuration.md lists them all.`,
  )
  .action(async ({ demo, mongo = false, install }) => start({ hasDemo: demo, wantsMongo: mongo, mayInstall: install }));

async function start(options: StartOptions): Promise<void> {
  const terminal = createTerminal();
  const settings = readSettings(process.env);
  const giveUp = new AbortController();
  const stack = createStack({ settings, options, terminal, env: process.env, signal: giveUp.signal });
  const whenStopped = stopOnSignal(stack, giveUp, terminal);
  let demo: Demo | undefined;
  try {
    terminal.line(`\n${terminal.styled('bold', 'Mailhook')}\n`);
    await stack.start();
    demo = options.hasDemo ? await wireDemo({ settings, terminal }) : undefined;
    stack.announce(demo);
    terminal.line(`\n${terminal.styled('green', 'Mailhook is ready')}\n`);
    await demo?.run(giveUp.signal);
    await printSummary({ settings, terminal, demo });
  } catch (error) {
    // A failure after a stop signal is no failure.
    if (giveUp.signal.aborted) {
      await whenStopped;
      return;
    }
    giveUp.abort();
    await stack.stop();
    throw error;
  }
  await whenStopped;
}

/** Resolves when a signal has arrived and everything has stopped. A second signal forces the end. */
function stopOnSignal(stack: Stack, giveUp: AbortController, terminal: Terminal): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (): void => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        terminal.line('\nStopping ... (Ctrl-C again to force it)');
        giveUp.abort();
        void stack.stop().then(() => {
          terminal.line('Stopped.');
          resolve();
        });
      } else if (performance.now() - firstAt > SAME_SIGNAL_WITHIN_MS) {
        stack.kill();
        process.exit(1);
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}
