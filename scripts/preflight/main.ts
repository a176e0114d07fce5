import { isRedisUrl, REDIS_URL_FORMS } from '@mailhook/platform/redis';
import { readFlags } from '../command-line.ts';
import type { Targets } from './facts.ts';
import { gatherFacts } from './facts.ts';
import type { Finding, Verdict } from './finding.ts';
import { judge } from './findings.ts';
import { createTerminal } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { runCommand, UserError } from '../user-error.ts';

const HELP = `npm run preflight -- --ops-url URL --url URL [options]

Checks a running installation against what production needs (docs/operations.md), and reports how to fix each failure.

  --ops-url URL          operations port of the api; repeat it for each worker to check
  --url URL              the public API, as customers reach it
  --redis-url URL        ask Redis itself too, for its save points among others; forms as of REDIS_URL:
                         redis://host:port, redis-cluster://host:port,host:port, redis-sentinel://host:port,host:port/master-name
  --admin-token TOKEN    or ADMIN_TOKEN: to see that the store answers, and that the token is a good one
  --producer-token TOKEN or PRODUCER_TOKEN: to see that it is a good one
  --json                 one JSON object instead of text
  --help                 this text

Ends with 1 when something fails. Sends nothing, changes nothing; a few sign-ins with well-known words are tried.
`;

const FLAGS = {
  'ops-url': { type: 'string', multiple: true },
  url: { type: 'string' },
  'redis-url': { type: 'string' },
  'admin-token': { type: 'string' },
  'producer-token': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

async function preflight(): Promise<void> {
  const terminal = createTerminal();
  const flags = readFlags(process.argv.slice(2), FLAGS, 'npm run preflight --');
  if (flags.help) {
    terminal.line(HELP);
    return;
  }
  const targets: Targets = {
    opsUrls: (flags['ops-url'] ?? []).map((url) => webUrl('ops-url', url)),
    publicUrl: webUrl('url', flags.url),
    redisUrl: flags['redis-url'],
    adminToken: flags['admin-token'] ?? firstToken(given('ADMIN_TOKEN')),
    producerToken: flags['producer-token'] ?? given('PRODUCER_TOKEN'),
  };
  if (targets.opsUrls.length === 0) throw new UserError('Name the operations port of the api with --ops-url.');
  if (targets.redisUrl !== undefined && !isRedisUrl(targets.redisUrl))
    throw new UserError(`--redis-url must be ${REDIS_URL_FORMS}.`);
  const findings = judge(await gatherFacts(targets));
  const isFit = !findings.some(({ verdict }) => verdict === 'fail');
  if (flags.json) terminal.line(JSON.stringify({ isFit, findings }, undefined, 2));
  else report(findings, terminal);
  process.exitCode = isFit ? 0 : 1;
}

const given = (name: string): string | undefined => (process.env[name] === '' ? undefined : process.env[name]);

/** The first of several admin tokens, without its label. */
const firstToken = (text: string | undefined): string | undefined => text?.split(/\n|, /)[0]?.split(' ').at(-1);

function webUrl(flag: string, text: string | undefined): string {
  if (text === undefined)
    throw new UserError(`Name the public API with --${flag}. \`npm run preflight -- --help\` tells more.`);
  if (URL.canParse(text) && /^https?:\/\//.test(text)) return text;
  throw new UserError(`--${flag} must be an absolute http(s) URL, but is "${text}".`);
}

const MARKS: Readonly<Record<Verdict, readonly ['green' | 'yellow' | 'red' | 'dim', string]>> = {
  pass: ['green', 'ok     '],
  warn: ['yellow', 'warning'],
  fail: ['red', 'FAILED '],
  unknown: ['dim', 'unknown'],
};

function report(findings: readonly Finding[], terminal: Terminal): void {
  for (const { check, verdict, found, fix } of findings) {
    const [color, word] = MARKS[verdict];
    terminal.line(`  ${terminal.styled(color, word)}  ${check}: ${found}`);
    if (fix !== undefined) terminal.line(`           ${fix}`);
  }
  const count = (wanted: Verdict): number => findings.filter(({ verdict }) => verdict === wanted).length;
  terminal.line(
    `\n${count('pass')} ok, ${count('warn')} warnings, ${count('fail')} failed, ${count('unknown')} not checked`,
  );
}

void runCommand(preflight);
