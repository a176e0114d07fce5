import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { trustedHtml } from './markup.ts';
import type { Markup } from './markup.ts';

/** The icons of the pages by what they mean, with their files in Heroicons. */
const FILES = {
  overview: 'squares-2x2',
  endpoints: 'globe-alt',
  deliveries: 'paper-airplane',
  'dead-letters': 'inbox-stack',
  events: 'magnifying-glass',
  'event-types': 'rectangle-stack',
  alerts: 'bell-alert',
  secrets: 'key',
  changes: 'clock',
  developers: 'code-bracket',
  guides: 'book-open',
  accounts: 'user-group',
  destinations: 'globe-alt',
  tokens: 'key',
  audit: 'clipboard-document-list',
  workers: 'cpu-chip',
  queues: 'queue-list',
  runbook: 'lifebuoy',
  refresh: 'arrow-path',
  pause: 'pause',
  menu: 'bars-3',
  more: 'ellipsis-horizontal',
  add: 'plus',
  copy: 'square-2-stack',
  close: 'x-mark',
  next: 'chevron-right',
  warn: 'exclamation-triangle',
  bad: 'exclamation-circle',
  good: 'check-circle',
  plain: 'information-circle',
} as const;
export type IconName = keyof typeof FILES;

const require = createRequire(import.meta.url);

const ICONS = new Map(
  Object.entries(FILES).map(([name, file]) => {
    const svg = readFileSync(require.resolve(`heroicons/24/outline/${file}.svg`), 'utf8');
    const small = svg.replace(' data-slot="icon"', '').replaceAll(/\n */g, '');
    return [name, trustedHtml(small.replace('<svg xmlns="http://www.w3.org/2000/svg"', '<svg class="icon"'))] as const;
  }),
);

/** A drawing beside a text. Screen readers skip it. */
export const icon = (name: IconName): Markup => ICONS.get(name) ?? trustedHtml('');
