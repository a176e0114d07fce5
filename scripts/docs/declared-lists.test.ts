import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { unlessMissing } from '@mailhook/testing';
import {
  CAMPAIGN_FIELDS,
  eventType,
  namesOf,
  NOTIFICATION_FIELDS,
  STATUS_RULES,
  statusesThat,
  typesOf,
} from '@mailhook/core';

const testIf = unlessMissing(test, 'git');

/**
 * What is written by hand and must name everything that a table declares: lists of event types, the table of statuses
 * in the protocol, and the pages that say when deliveries end.
 */
const tracked = (...patterns: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--', ...patterns], { encoding: 'utf8' })
    .trim()
    .split('\n');
/** Without its generated sections. */
const textOf = (file: string): string =>
  readFileSync(file, 'utf8')
    .replaceAll(/<!-- ([\w-]+): generated[^>]*-->.*?<!-- \/\1 -->/gs, '')
    .replaceAll(/\s+/g, ' ');

const pages = () =>
  tracked('*.md', ':!CHANGELOG.md', ':!docs/decisions', ':!docs/performance*', ':!docs/reliability.md');
const code = () => tracked('*.ts', '*.mjs', ':!packages/core/src/contracts/event-*.ts');

const known = eventType.options.join('|');
const ITEM = `(?:an? )?[\`'"]?(?:${known})(?:s|es)?[\`'"]?`;
const LIST = new RegExp(`\\b${ITEM}(?:(?:, and |, | or | and )${ITEM}){2,}`, 'g');
const typesIn = (list: string): string => [...new Set(list.match(new RegExp(known, 'g')))].sort().join(' ');
const WHOLE = [
  namesOf(NOTIFICATION_FIELDS),
  namesOf(CAMPAIGN_FIELDS),
  namesOf({ ...NOTIFICATION_FIELDS, ...CAMPAIGN_FIELDS }),
  typesOf('transactional_email'),
  typesOf('campaign'),
  eventType.options,
].map((names) => [...names].sort().join(' '));

testIf('a page that lists event types lists all of their kind', () => {
  const lists = pages().flatMap((file) => [...textOf(file).matchAll(LIST)].map(([list]) => `${file}: ${list}`));
  expect(lists.length).toBeGreaterThan(3);
  expect(lists.filter((line) => !WHOLE.includes(typesIn(line.slice(line.indexOf(': ')))))).toEqual([]);
});

testIf('code takes lists of event types from the table', () => {
  const quoted = new RegExp(`'(?:${known})'(?:, '(?:${known})'){2,}`, 'g');
  const lists = code().flatMap((file) => [...textOf(file).matchAll(quoted)].map(([list]) => `${file}: ${list}`));
  expect(lists).toEqual([]);
});

test('every status with a rule is in the table of the protocol', () => {
  const table = /<!-- answers: .*?<!-- \/answers -->/.exec(textOf('docs/protocol.md'))?.[0] ?? '';
  expect(Object.keys(STATUS_RULES).filter((status) => !table.includes(status))).toEqual([]);
});

testIf('a page that says which status ends deliveries names all that do', () => {
  const ending = statusesThat('endsDeliveries');
  const about = pages().filter(
    (file) => file.startsWith('docs/') && ending.some((status) => new RegExp(`\\b${status}\\b`).test(textOf(file))),
  );
  expect(about.length).toBeGreaterThan(3);
  expect(about.filter((file) => !ending.every((status) => textOf(file).includes(status)))).toEqual([]);
});
