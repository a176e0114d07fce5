import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  ALERT_KINDS,
  attemptStatusFilter,
  destinationHealth,
  eventModule,
  eventType,
  HISTORY_RANGES,
  LIMITS,
  namesOf,
  SHAPES,
} from '@mailhook/core';
import { CATALOGS } from './texts.ts';

/** Read by the code of a text that comes from the services. The compiler knows these keys. */
const BY_CODE = new Set(['actions', 'advice', 'checks', 'problems', 'reasons']);
/** Read by a value, such as `texts.states[state]`. */
const BY_VALUE = new Set<string>([
  ...attemptStatusFilter.options,
  'passed',
  'warning',
  'failed',
  'skipped',
  ...destinationHealth.options,
  ...namesOf(LIMITS).flatMap((name) => [name, `${name}Hint`]),
  ...eventType.options,
  ...eventModule.options,
  ...SHAPES,
  ...['tags', 'campaigns', 'domains', 'metadata', 'labels'].flatMap((key) => [key, `${key}Hint`]),
  ...['maxEvents', 'concurrency'].flatMap((name) => [name, `${name}Hint`]),
  'hard',
  'soft',
  ...Object.keys(HISTORY_RANGES).flatMap((range) => [range, `last${range}`]),
  'time',
  'outcome',
  'endpoint',
  'events',
  'attempt',
  'reply',
  'why',
  ...ALERT_KINDS,
]);

const ROOT = path.join(import.meta.dirname, '..');
const SOURCES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.(?:test|suite)\.ts$|^messages\/(?:en|pl|de)\//.test(file))
  .map((file) => readFileSync(path.join(ROOT, file), 'utf8'));

/** The sources that read an area of the catalogs, as `texts.area` or `{ area } = texts`. */
const readersOf = (area: string): string =>
  SOURCES.filter((source) =>
    new RegExp(`texts\\.${area}\\b|\\{[^}]*\\b${area}\\b[^}]*\\} = texts\\b`).test(source),
  ).join();

test.each(Object.entries(CATALOGS.en).filter(([area]) => !BY_CODE.has(area)))(
  'every text of %s has a reader',
  (area, messages) => {
    const source = readersOf(area);
    const isRead = (key: string): boolean =>
      BY_VALUE.has(key) ||
      new RegExp(`\\.${key}\\b|\\['${key}'\\]|\\{[^{}]*\\b${key}\\b[^{}]*\\} = (?:texts\\.)?${area}\\b`).test(source);
    expect(Object.keys(messages).filter((key) => !isRead(key))).toEqual([]);
  },
);
