import { EVERY_TYPE, readCoded } from '@mailhook/core';
import type { FieldChange, Language } from '@mailhook/core';
import { masked, timeOf, unseen } from '../html/elements.ts';
import { listOf, numberText } from '../html/formats.ts';
import { html, Localized } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { LANGUAGE_NAMES } from '../html/reader.ts';
import { said } from '../messages/coded.ts';
import { texts } from '../messages/texts.ts';

const { alerts, changes: words, endpoints, fields, login, setup, tokens } = texts;

/** More are behind a button. */
const SHOWN = 4;

/** An object by its name, or undefined if it no longer exists. */
export type NameOf = (object: string) => Content;

/** What the forms call the fields of the API. */
const LABELS: Readonly<Record<string, Content>> = {
  name: fields.name,
  address: setup.address,
  module: fields.module,
  types: fields.events,
  version: fields.version,
  shape: fields.shape,
  maxEvents: fields.maxEvents,
  concurrency: fields.concurrency,
  maxRequestsPerSecond: fields.maxRequestsPerSecond,
  filter: fields.filter,
  headers: login.title,
  active: words.sends,
  inactiveReason: words.switchedOffBecause,
  pausedUntil: words.pausedUntil,
  undelivered: words.undelivered,
  label: tokens.label,
  access: tokens.access,
  expiresAt: tokens.end,
  signsFor: words.signsFor,
  endsAt: words.signsUntil,
  email: words.email,
  language: alerts.language,
  confirmed: words.confirmed,
  kinds: alerts.when,
  muted: words.muted,
  accounts: words.accounts,
};

const FILTERS: Readonly<Record<string, Content>> = {
  tags: fields.tags,
  campaigns: fields.campaigns,
  domains: fields.domains,
  metadata: fields.metadata,
  labels: fields.labels,
  bounce: fields.bounce,
  machine: fields.machine,
  first: fields.firstOnly,
};

const MODULES = { transactional_email: fields.transactional, campaign: fields.campaign };

const switchText = (value: string): Content => (value === 'true' ? words.on : words.off);

const number = (value: string): Content => new Localized(({ language }) => numberText(language, Number(value)));

/** A value of a field, as the forms show it. Lists are shown entry by entry. */
const VALUES: Readonly<Record<string, (value: string, nameOf: NameOf) => Content>> = {
  module: (value) => MODULES[value as keyof typeof MODULES],
  version: (value) => endpoints.version({ version: value }),
  shape: (value) => fields[value as 'single' | 'array' | 'batch'],
  types: (value) => (value === EVERY_TYPE ? fields.all : html`<code>${value}</code>`),
  filter: (value) => FILTERS[value],
  headers: (value) => html`<code>${value}</code>`,
  active: switchText,
  confirmed: (value) => (value === 'true' ? words.yes : words.no),
  inactiveReason: (value) => said(readCoded(value)),
  maxEvents: number,
  undelivered: number,
  concurrency: number,
  maxRequestsPerSecond: number,
  access: (value) => (value === 'manage' ? tokens.mayManage : tokens.mayRead),
  pausedUntil: timeOf,
  expiresAt: timeOf,
  endsAt: timeOf,
  signsFor: (value, nameOf) => (value === '*' ? words.allWithoutOwn : nameOf(value)),
  language: (value) => LANGUAGE_NAMES[value as Language],
  kinds: (value) => alerts[value as 'failing' | 'recovered' | 'deactivated'],
  muted: (value, nameOf) => nameOf(value),
};

const LISTS: readonly string[] = ['types', 'filter', 'headers', 'kinds', 'muted'];

/**
 * What changed, a line for each field, in the words of the forms.
 *
 * @param object what the entry is about. Fields of others name their object.
 */
export function fieldChanges(
  changes: readonly FieldChange[] = [],
  object?: string,
  nameOf: NameOf = () => undefined,
): Content {
  if (changes.length === 0) return undefined;
  const list = html`<dl class="changed">${changes.map((one) => fieldChange(one, object, nameOf))}</dl>`;
  if (changes.length <= SHOWN) return list;
  return html`<details class="changed-of">
    <summary>${words.fields({ number: changes.length })}</summary>
    ${list}
  </details>`;
}

function fieldChange(change: FieldChange, object: string | undefined, nameOf: NameOf): Markup {
  const { object: of, field } = change;
  const about = of !== undefined && of !== object && html` <span class="muted">(${nameOf(of) ?? of})</span>`;
  return html`<div>
    <dt>${LABELS[field] ?? html`<code>${field}</code>`}${about}</dt>
    <dd>${difference(change, nameOf)}</dd>
  </div>`;
}

function difference({ field, before, after }: FieldChange, nameOf: NameOf): Content {
  const shown = (text: string): Content =>
    isList(field, text)
      ? listOf(entriesOf(text).map((one) => valueText(field, one, nameOf)))
      : valueText(field, text, nameOf);
  if (before === null) return html`<ins>${shown(after ?? '')}</ins>`;
  if (after === null) return html`<del>${shown(before)}</del>`;
  if (before === after) return [shown(after), ' ', html`<span class="muted">(${words.hiddenValue})</span>`];
  if (isList(field, before) && isList(field, after)) return listDifference(entriesOf(before), entriesOf(after), shown);
  const arrow = html`<span aria-hidden="true">→</span>${unseen(' → ')}`;
  return html`<del>${shown(before)}</del> ${arrow} <ins>${shown(after)}</ins>`;
}

function listDifference(before: readonly string[], after: readonly string[], shown: NameOf): Content {
  const added = after.filter((one) => !before.includes(one)).map(shown);
  const removed = before.filter((one) => !after.includes(one)).map(shown);
  return [
    added.length > 0 && [words.added({ entries: html`<ins>${listOf(added)}</ins>` }), ' '],
    removed.length > 0 && words.removed({ entries: html`<del>${listOf(removed)}</del>` }),
  ];
}

/** A list that the log has cut is a text. */
const isList = (field: string, text: string): boolean => LISTS.includes(field) && !text.endsWith('…');

const entriesOf = (text: string): readonly string[] => text.split(', ');

const valueText = (field: string, value: string, nameOf: NameOf): Content =>
  (Object.hasOwn(VALUES, field) ? VALUES[field]?.(value, nameOf) : undefined) ?? html`<bdi>${masked(value)}</bdi>`;
