import { EVERY_TYPE, typesIn } from '@mailhook/core';
import type { DestinationSettings, EventTypeName, Settings } from '@mailhook/core';
import { codeBlock } from '../../html/code-tabs.ts';
import { notice, unseen } from '../../html/elements.ts';
import { deadline, listOf } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { sampleBody } from './sample-request.ts';

/** What decides which events an endpoint gets, and how. */
export type Scoped = Pick<Settings, 'types' | 'version' | 'shape' | 'maxEvents' | 'filter'> &
  Pick<DestinationSettings, 'module'>;

const words = texts.scope;

/** What comes with every message. */
const FREQUENT: readonly EventTypeName[] = ['sent', 'delivered'];

/** Keys of a filter that keep out events of every type without the field. */
const NEEDED = ['campaigns', 'tags', 'domains', 'metadata'] as const;

/** Which events an endpoint gets, and how, as a sentence without a full stop. */
export function scopeOf(settings: Scoped): Localized {
  const { module, types, version, filter } = settings;
  const plural = typesIn(module, types).map((type) => texts.several[type]);
  const all = types.includes(EVERY_TYPE) ? words.everything : listOf(plural);
  const clauses = filter === null ? [] : clausesOf(filter);
  const events = [all, ' ', words[module], clauses.length > 0 && [' ', listOf(clauses)]];
  const hasRecipient = version === 2 || module === 'campaign';
  const isConfirmed = settings.shape === 'batch' && [', ', words.confirmedEach];
  const sentence = { events, shape: [shapeWords(settings), isConfirmed] };
  return hasRecipient ? words.getsWithRecipient(sentence) : words.gets(sentence);
}

/** How requests carry the events. */
export const shapeWords = ({ shape, maxEvents: max }: Pick<Scoped, 'shape' | 'maxEvents'>): Localized =>
  shape === 'single' ? words.single : words[shape]({ max });

function clausesOf(filter: NonNullable<Scoped['filter']>): readonly Content[] {
  const { tags, campaigns, domains, metadata, bounce, machine, first, labels } = filter;
  const either = (entries: readonly string[]): Markup => html`<bdi>${entries.join(' / ')}</bdi>`;
  return [
    tags && words.tagged({ tags: either(tags) }),
    campaigns && words.ofCampaigns({ campaigns: either(campaigns) }),
    domains && words.toDomains({ domains: either(domains) }),
    metadata &&
      words.withMetadata({
        pairs: html`<bdi
          >${Object.entries(metadata).map(([key, value], i) => [i > 0 && ', ', `${key} = ${value}`])}</bdi
        >`,
      }),
    bounce && words[bounce],
    machine && (machine === 'never' ? words.byPeople : words.byPrograms),
    first === true && words.firstOnly,
    labels && words.labeled({ labels: either(labels) }),
  ].filter((clause) => clause !== undefined && clause !== false);
}

/** Whether each of its messages costs a request of its own. */
const isFrequent = ({ module, types, shape }: Scoped): boolean =>
  shape === 'single' && FREQUENT.some((type) => typesIn(module, types).includes(type));

/** Whether its filter keeps out unsubscribes that do not have the field. */
const losesUnsubscribes = ({ module, types, filter }: Scoped): boolean =>
  filter !== null && NEEDED.some((key) => filter[key] !== undefined) && typesIn(module, types).includes('unsubscribe');

/** What a customer may not expect of the settings. */
export const scopeWarnings = (settings: Scoped): readonly Localized[] => [
  ...(isFrequent(settings) ? [words.frequent] : []),
  ...(losesUnsubscribes(settings) ? [words.untagged] : []),
];

/** What a request means, by its shape. */
const HOW = {
  single: texts.help.singleRequest,
  array: texts.help.arrayRequest,
  batch: texts.help.batchRequest,
};

/** The scope in words, what may be unexpected, and a sample of the request. `id`: of the part of the page. */
export function scopeView(
  id: string,
  settings: Scoped,
  { type, isOpen = false }: { readonly type?: EventTypeName | undefined; readonly isOpen?: boolean } = {},
): Markup {
  const { module, types, version, shape } = settings;
  const shown = type ?? typesIn(module, types)[0] ?? 'open';
  return html`<div class="scope" id="${id}">
    <p><strong>${scopeOf(settings)}.</strong></p>
    ${scopeWarnings(settings).map((text) => notice('warn', text))}
    <details class="example" id="${id}-sample" ${isOpen && html` open`}>
      <summary>${texts.help.sample({ type: html`<code>${shown}</code>` })}</summary>
      <p>${HOW[shape]({ deadline })}</p>
      ${codeBlock({
        id: `${id}-body`,
        label: texts.help.body,
        copy: texts.attempt.copyBody({ hidden: unseen }),
        code: sampleBody(module, shown, version, shape),
      })}
    </details>
  </div>`;
}
