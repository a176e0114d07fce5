import { actionButton, hidden } from '../html/elements.ts';
import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';

/** A question that the page asks before an action that loses or repeats events. */
export interface Dialog {
  readonly title: Content;
  /** What the action does, and what happens to which events. */
  readonly lines: readonly Content[];
  /** What the form has besides its buttons. */
  readonly fields: Readonly<Record<string, string>>;
  /** The part of the page whose typed input the answer replaces. */
  readonly about?: string;
  readonly control?: Content;
  readonly buttons: readonly DialogButton[];
}

interface DialogButton {
  readonly id: string;
  readonly value: string;
  readonly text: Content;
  readonly busy: Content;
  readonly look: 'primary' | 'danger' | 'quiet';
}

/** Without a script it is open on the page. The script makes it modal. */
export const dialogArea = (asked: Dialog | undefined): Markup =>
  html`<div id="question" data-part data-asked>${asked !== undefined && dialog(asked)}</div>`;

const dialog = ({ title, lines, fields, about, control, buttons }: Dialog): Markup =>
  html`<dialog class="card" id="dialog" aria-labelledby="dialog-title" open>
    <h2 id="dialog-title" tabindex="-1">${title}</h2>
    <form method="post" ${about !== undefined && html` data-about="${about}"`}>
      ${Object.entries(fields).map(([name, value]) => hidden(name, value))}
      ${lines.map((line) => html`<p>${line}</p>`)}${control}
      <div class="actions">${buttons.map((one) => actionButton(one))}</div>
    </form>
    <form method="dialog" class="cancel">
      <button class="button quiet" id="dialog-cancel">${texts.stops.cancel}</button>
    </form>
  </dialog>`;
