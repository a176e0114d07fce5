import { readFileSync } from 'node:fs';
import { destinationHealth, EVENT_TYPES, namesOf, operationsMessage } from '@mailhook/core';
import { describeEnvironment } from '@mailhook/platform/config';
import { environment } from '../../services/campaign-batcher/src/config.ts';

/** The figures in this guide must be the defaults. */
const guide = readFileSync('docs/guides/retries.md', 'utf8');
const defaults = new Map(describeEnvironment(environment).map((variable) => [variable.name, variable.default ?? '']));

/** Writes `5s` as in the guide: `5 s`. */
const spaced = (duration: string): string => duration.replace(/(\d)([a-z])/, '$1 $2');

test('the guide for producers names the versions of BullMQ that the tests use', () => {
  const { version } = JSON.parse(readFileSync('node_modules/bullmq/package.json', 'utf8')) as { version: string };
  const [, python = ''] = /^bullmq==(\S+)/m.exec(readFileSync('examples/producers/requirements.txt', 'utf8')) ?? [];
  expect(readFileSync('docs/guides/producing.md', 'utf8')).toContain(
    `Mailhook's tests use Node ${version.replace(/\.0$/, '')} and Python ${python}.`,
  );
});

test('the schedule', () => {
  const row = /^\| wait +\|(.*)\|$/m
    .exec(guide)?.[1]
    ?.split('|')
    .map((cell) => cell.trim());
  expect(row).toEqual(['immediately', ...(defaults.get('RETRY_SCHEDULE') ?? '').split(',').map(spaced)]);
  expect(guide).toContain(`That is ${row?.length ?? 0} attempts`);
});

test('the table of states has every state of an endpoint', () => {
  const [, table = ''] = /^\| state .*\n\| -.*\n((?:\|.*\n)+)/m.exec(guide) ?? [];
  const states = [...table.matchAll(/^\| (.*?) +\|/gm)].flatMap(([, cell = '']) => cell.split(', '));
  expect(states).toEqual(destinationHealth.options.map((state) => `\`${state}\``));
});

test.each([
  ['RETRY_JITTER', (value: string) => `from ${Number(value) * 100} % less to ${Number(value) * 100} % more`],
  ['BREAKER_FAILURES', (value: string) => `After ${value} failed attempts in a row (\`BREAKER_FAILURES\`)`],
  ['BREAKER_PARK_MAX', (value: string) => `up to ${value.replace('m', ' minutes')} (\`BREAKER_PARK_MAX\`)`],
  ['WAITING_MAX_AGE', (value: string) => `longer than ${value.replace('d', ' days')} (\`WAITING_MAX_AGE\`)`],
])('%s', (name, sentence) => {
  expect(guide.replaceAll(/\s+/g, ' ')).toContain(sentence(defaults.get(name) ?? ''));
});

test('the vocabulary compares each field with every source, and has each cause', () => {
  const vocabulary = readFileSync('docs/guides/vocabulary.md', 'utf8');
  const fieldsOf = (name: keyof typeof EVENT_TYPES): string[] => Object.keys(EVENT_TYPES[name].fields);
  // What a platform names and holds itself has no counterpart.
  const own = new Set(
    namesOf(EVENT_TYPES)
      .filter((name) => name !== 'custom')
      .flatMap(fieldsOf),
  );
  const common = ['id', 'email', 'messageId', 'time', 'campaign', 'metadata', 'tags'];
  const tables = [...vocabulary.matchAll(/^\| field .*\n\| -.*\n((?:\| `.*\n)+)\| \*\*no match/gm)];
  expect(tables).toHaveLength(3);
  for (const [, rows = ''] of tables)
    expect([...rows.matchAll(/^\| `(\w+)`/gm)].map(([, field]) => field).sort()).toEqual([...common, ...own].sort());
  const [, causes = ''] = /^\| `cause` .*\n\| -.*\n((?:\|.*\n)+)/m.exec(vocabulary) ?? [];
  const { cause } = EVENT_TYPES.bounce.fields;
  expect([...causes.matchAll(/^\| `(\w+)`/gm)].map(([, one]) => one)).toEqual(cause.options);
});

test('the guide to operational webhooks shows every message, as its schema has it', () => {
  const operational = readFileSync('docs/guides/operational-webhooks.md', 'utf8');
  const shown = [...operational.matchAll(/^### (\S+)$[^#]*?```json\n([^`]*)```/gm)].map(([, heading, json]) => {
    const message = operationsMessage.parse(JSON.parse(json ?? ''));
    expect(message.type).toBe(heading);
    return message.type;
  });
  expect(shown).toEqual(operationsMessage.options.map(({ shape }) => shape.type.value));
});
