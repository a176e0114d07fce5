import type { CommandRow } from './command-line.ts';

/** The commands that need no repository. The image `tools` has them in one file. */
export const TOOLS: Readonly<Record<string, CommandRow>> = {
  listen: { about: 'a receiver that prints what it gets', load: () => import('./receiver/listen.ts') },
  send: { about: 'sends events as a producer does', load: () => import('./send/main.ts') },
  doctor: { about: 'checks a receiver against the whole protocol', load: () => import('./doctor/main.ts') },
  mailbox: { about: 'prints the mailbox of a destination in words', load: () => import('./mailbox/main.ts') },
  functions: {
    about: 'loads the functions into Redis, for services that may not',
    load: () => import('./functions/main.ts'),
    isForOperators: true,
  },
  preflight: {
    about: 'checks a running installation for production',
    load: () => import('./preflight/main.ts'),
    isForOperators: true,
  },
};
