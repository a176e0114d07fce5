import { unseen } from '../html/elements.ts';
import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { copyButton } from './document.ts';

/**
 * A form with buttons, in a row or with its fields below each other. It is sent to the page that has it, and empty
 * again after a success.
 */
export const buttonForm = (fields: Content, look: 'row' | 'stack' = 'row'): Markup =>
  html`<form method="post" class="${look}" data-fresh>${fields}</form>`;

interface Confirmation {
  readonly id: string;
  readonly summary: string;
  /** For screen readers: what the summary is about. */
  readonly of?: string;
  /** What happens. */
  readonly text: string;
  /** What to type. Without it, the button suffices. */
  readonly type?: string;
  readonly button: string;
  readonly value: string;
}

/** A field for a text to repeat, with a button that copies the text. `fault`: why the typed text was refused. */
export const typedField = (id: string, type: string, fault?: string, attributes?: Markup): Markup =>
  html`<div class="field">
    <label for="confirm-${id}">Type <code id="type-${id}">${type}</code> to confirm</label>
    <div class="copy-line">
      <input
        id="confirm-${id}"
        name="confirm"
        autocomplete="off"
        required
        ${attributes}
        ${fault !== undefined && html`aria-invalid="true" aria-describedby="confirm-${id}-error"`}
      />${copyButton(`type-${id}`)}
    </div>
    ${fault !== undefined && html`<p class="error" id="confirm-${id}-error">${fault}</p>`}
  </div>`;

/** Asks before something that cannot be undone. */
export const confirmed = (
  { id, summary, of, text, type, button, value }: Confirmation,
  form: (fields: Content) => Markup,
): Markup =>
  html`<details id="${id}">
    <summary class="button quiet">${summary}${of !== undefined && unseen(` ${of}`)}</summary>
    <div class="inset">
      <p>${text}</p>
      ${form(
        html`${type !== undefined && typedField(id, type, undefined, html`pattern="${type}"`)}
          <button class="button danger" name="do" value="${value}">${button}</button>`,
      )}
    </div>
  </details>`;
