import { readFlags } from '../command-line.ts';

export const START_HELP = `npm start [-- options]

Builds Mailhook and runs it on this machine: Redis, the three services, and a demo that shows them at work.

  --no-demo   no demo account, receiver or sample events
  --mongo     keep subscriptions in a private MongoDB instead of in Redis
  --no-install
              install nothing; if Redis (or, with --mongo, mongod) is missing, say how to get it
  --help      this text

Settings come from the environment: PORT (3000), OPS_PORT (3100), HOST (127.0.0.1), DATA_DIR (.data), REDIS_URL, MONGO_URL,
ADMIN_TOKEN, PRODUCER_TOKEN, and every variable of the services. docs/configuration.md lists them all.
`;

export interface StartOptions {
  readonly hasDemo: boolean;
  readonly wantsMongo: boolean;
  readonly mayInstall: boolean;
  readonly wantsHelp: boolean;
}

const FLAGS = {
  'no-demo': { type: 'boolean', default: false },
  mongo: { type: 'boolean', default: false },
  'no-install': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

export function readStartOptions(args: readonly string[]): StartOptions {
  const flags = readFlags(args, FLAGS, 'npm start --');
  return {
    hasDemo: !flags['no-demo'],
    wantsMongo: flags.mongo,
    mayInstall: !flags['no-install'],
    wantsHelp: flags.help,
  };
}
