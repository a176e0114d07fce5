import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { isRedisUrl, REDIS_URL_FORMS } from '@mailhook/platform/redis';
import type { Targets } from './facts.ts';
import { gatherFacts } from './facts.ts';
import type { Finding, Verdict } from './finding.ts';
import { judge } from './findings.ts';
import { createTerminal } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';

export const command = new Command()
  .description(
    `Checks a running installation against what production needs (docs/operations.md), and reports fixes.

Ends with 1 when something fails. It changes nothing, and tries a few sign-ins with well-known words.`,
  )
  .requiredOption('--ops-url <url>', 'operations port of the api; repeat it for each worker to check', addUrl)
  .requiredOption('--url <url>', 'the public API, as customers reach it', webUrl)
  .option(
    '--redis-url <url>',
    'ask Redis itself too, for its save points among others; forms as of REDIS_URL: redis://host:port, ' +
      'redis-cluster://host:port,host:port, redis-sentinel://host:port,host:port/master-name',
    redisUrl,
  )
  .option('--admin-token <token>', 'or ADMIN_TOKEN: to see that the store answers, and that the token is a good one')
  .option('--producer-token <token>', 'or PRODUCER_TOKEN: to see that it is a good one')
  .option('--json', 'one JSON object instead of text')
  .action(async (options) => {
    const terminal = createTerminal();
    const targets: Targets = {
      opsUrls: options.opsUrl,
      publicUrl: options.url,
      redisUrl: options.redisUrl,
      adminToken: options.adminToken ?? firstToken(given('ADMIN_TOKEN')),
      producerToken: options.producerToken ?? given('PRODUCER_TOKEN'),
    };
    const findings = judge(await gatherFacts(targets));
    const isFit = !findings.some(({ verdict }) => verdict === 'fail');
    if (options.json === true) terminal.line(JSON.stringify({ isFit, findings }, undefined, 2));
    else report(findings, terminal);
    process.exitCode = isFit ? 0 : 1;
  });

const given = (name: string): string | undefined => (process.env[name] === '' ? undefined : process.env[name]);

/** The first of several admin tokens, without its label. */
const firstToken = (text: string | undefined): string | undefined => text?.split(/\n|, /)[0]?.split(' ').at(-1);

function webUrl(text: string): string {
  if (URL.canParse(text) && /^https?:\/\//.test(text)) return text;
  throw new InvalidArgumentError('It must be an absolute http(s) URL.');
}

function addUrl(text: string, others: readonly string[] = []): string[] {
  return [...others, webUrl(text)];
}

function redisUrl(text: string): string {
  if (isRedisUrl(text)) return text;
  throw new InvalidArgumentError(`It must be ${REDIS_URL_FORMS}.`);
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
