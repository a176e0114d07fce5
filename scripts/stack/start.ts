import { wireDemo } from '../demo/demo.ts';
import type { Demo } from '../demo/demo.ts';
import { printSummary } from '../demo/summary.ts';
import { readStartOptions, START_HELP } from './options.ts';
import { readSettings } from './settings.ts';
import { createStack } from './stack.ts';
import type { Stack } from './stack.ts';
import { createTerminal } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { runCommand } from '../user-error.ts';

/** npm and the terminal may both pass on one Ctrl-C. Only a signal after this time counts as a second one. */
const SAME_SIGNAL_WITHIN_MS = 700;

async function start(): Promise<void> {
  const options = readStartOptions(process.argv.slice(2));
  const terminal = createTerminal();
  if (options.wantsHelp) {
    terminal.line(START_HELP);
    return;
  }
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

// A demo receiver or a kept-alive connection must not delay the exit.
void runCommand(start).then(() => process.exit());
