import type { FieldChange } from '@mailhook/core';
import { masked, unseen } from '../html/elements.ts';
import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';

/** More are behind a button. */
const SHOWN = 4;

/**
 * What changed, a line for each field. Fields have the names of the API.
 *
 * @param object what the entry is about. Fields of others name their object.
 */
export function fieldChanges(changes: readonly FieldChange[] = [], object?: string): Content {
  if (changes.length === 0) return undefined;
  const list = html`<ul class="fields">
    ${changes.map((one) => fieldChange(one, object))}
  </ul>`;
  if (changes.length <= SHOWN) return list;
  return html`<details class="fields-of">
    <summary>${texts.changes.fields({ number: changes.length })}</summary>
    ${list}
  </details>`;
}

function fieldChange({ object: of, field, before, after }: FieldChange, object: string | undefined): Markup {
  const name = html`${of !== undefined && of !== object && html`<code class="muted">${of}</code> `}<code
      >${field}</code
    >`;
  if (before === after && after !== null)
    return html`<li>${name} ${after} <span class="muted">${texts.changes.hiddenValue}</span></li>`;
  return html`<li>
    ${name}
    ${before !== null && html`<del>${masked(before)}</del>`}${
      before !== null && after !== null && html` <span aria-hidden="true">→</span>${unseen(' → ')} `
    }${after !== null && html`<ins>${masked(after)}</ins>`}
  </li>`;
}
