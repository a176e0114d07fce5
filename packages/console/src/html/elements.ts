import { SETTINGS_PAGE_PATH } from '@mailhook/core';
import { maskText } from '@mailhook/platform/logger';
import { axisText, timeText } from './formats.ts';
import { Localized, html } from './markup.ts';
import type { Content, Markup } from './markup.ts';

/** The entry of the settings pages. The forms of a page are sent to its own address, without an action. */
export const PAGE_PATH = SETTINGS_PAGE_PATH;

/** A time in the reader's zone. The script `times.js` converts it as long as the server does not know the zone. */
export function timeOf(iso: string): Markup {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return html`${iso}`;
  return html`<time datetime="${date.toISOString()}">${new Localized((reader) => timeText(reader, date))}</time>`;
}

/**
 * When something happened. Without the script it is a time. The script shows how long ago that was, such as
 * `4 min ago`, and the time under the pointer.
 */
export const agoOf = (iso: string): Markup => {
  const date = new Date(iso);
  return html`<time datetime="${date.toISOString()}" data-as="ago"
    >${new Localized((reader) => timeText(reader, date))}</time
  >`;
};

/** A time in the reader's zone inside a name for screen readers, which no script converts. */
export const timeWords = (iso: string): Localized => new Localized((reader) => timeText(reader, new Date(iso)));

/** A time at an axis, as short as possible. */
export function axisTime(ms: number, as: 'minute' | 'day'): Markup {
  const date = new Date(ms);
  const text = new Localized((reader) => axisText(reader, date, as));
  return html`<time datetime="${date.toISOString()}" data-as="${as}">${text}</time>`;
}

/** Says in which time zone the page shows times. The script replaces the text by a choice. */
export const timeZoneNote = (note: Content = 'Times are in UTC', choice: Content = 'Times in'): Markup =>
  html`<p class="time-zone" data-time-zone="${choice}">${note}</p>`;

/** Masks recipients' addresses in a text from outside. */
export const masked = (text: string): string => maskText(text);

/**
 * An address in one line. Without room for all of it, its middle is left out: the host and the end stay. The whole is
 * shown under the pointer, and read by screen readers.
 */
export function shortAddress(address: string, look = ''): Markup {
  const shown = masked(address);
  const [host, path] = parted(shown, /^(?:\w+:\/\/)?[^/?#]*/);
  const [end = ''] = /[/?#][^/?#]{1,24}$/.exec(path) ?? [];
  return html`<span class="address short ${look}" title="${shown}"
    ><span>${host}</span><span>${path.slice(0, path.length - end.length)}</span><span>${end}</span></span
  >`;
}

function parted(text: string, start: RegExp): readonly [string, string] {
  const [found = ''] = start.exec(text) ?? [];
  return [found, text.slice(found.length)];
}

/** A text from outside, such as the error of an attempt. It is English in every language. */
export const inEnglish = (text: string): Markup => html`<span lang="en">${masked(text)}</span>`;

export const badge = (tone: 'good' | 'bad' | 'warn' | 'plain', text: Content): Markup =>
  html`<span class="badge ${tone}">${text}</span>`;

export const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** A button of a form. `value` names the action, and `busy` is the button's text while the action runs. */
export function actionButton(options: {
  readonly id: string;
  readonly value: string;
  readonly text: Content;
  readonly busy: Content;
  readonly look?: 'primary' | 'danger' | 'quiet';
  /** The id of its form, if the button stands outside of it. */
  readonly form?: string | undefined;
}): Markup {
  const { id, value, text, busy, look = 'quiet', form } = options;
  const of = form !== undefined && html` form="${form}"`;
  return html`<button id="${id}" class="button ${look}" name="do" value="${value}" data-busy="${busy}" ${of}>
    ${text}
  </button>`;
}

/** Text for screen readers only. */
export const unseen = (text: Content): Markup => html`<span class="unseen">${text}</span>`;

export interface FieldOptions {
  readonly id: string;
  readonly label: Content;
  readonly hint?: Content;
  readonly error?: Content;
  readonly control: (attributes: Markup) => Markup;
}

/** A labeled control with its hint and its error, linked for screen readers. */
export function formField({ id, label, hint, error, control }: FieldOptions): Markup {
  const described = [error === undefined ? '' : `${id}-error`, hint === undefined ? '' : `${id}-hint`]
    .filter((one) => one !== '')
    .join(' ');
  const attributes = html`id="${id}"${described !== '' && html` aria-describedby="${described}"`}${
    error !== undefined && html` aria-invalid="true"`
  }`;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${control(attributes)} ${error !== undefined && html`<p class="error" id="${id}-error">${label} ${error}</p>`}
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

export type Fact = readonly [name: Content, value: Content];

/** `even`: in columns of one width. */
export const factList = (facts: readonly Fact[], look: 'even' | '' = ''): Markup =>
  html`<dl class="facts ${look} card">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;

export const notice = (tone: 'warn' | 'bad' | 'plain', text: Content): Markup =>
  html`<p class="notice ${tone}">${text}</p>`;

export interface SectionOptions {
  readonly id: string;
  readonly title: Content;
  readonly lead?: Content;
  readonly aside?: Content;
}

/** A section of the page with its content. */
export const section = ({ id, title, lead, aside }: SectionOptions, content: Content): Markup =>
  html`<section id="${id}" aria-labelledby="${id}-title">
    <header>
      <div>
        <h2 id="${id}-title" tabindex="-1">${title}</h2>
        ${lead !== undefined && html`<p>${lead}</p>`}
      </div>
      ${aside}
    </header>
    ${content}
  </section>`;
