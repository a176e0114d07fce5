import { actionButton, hidden } from '../html/elements.ts';
import { html } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';
import type { Dialog } from './outcome.ts';

/** Without a script it is open on the page. The script makes it modal. */
export const dialogArea = (asked: Dialog | undefined): Markup =>
  html`<div id="question" data-part data-asked>${asked !== undefined && dialog(asked)}</div>`;

const dialog = ({ title, lines, fields, about, control, buttons }: Dialog): Markup =>
  html`<dialog class="card" id="dialog" aria-labelledby="dialog-title" open>
    <h2 id="dialog-title" tabindex="-1">${title}</h2>
    <form method="post" ${about !== undefined && html`data-about="${about}"`}>
      ${Object.entries(fields).map(([name, value]) => hidden(name, value))}
      ${lines.map((line) => html`<p>${line}</p>`)}${control}
      <div class="actions">
        ${buttons.map((one) => actionButton(one))}
        <button class="button quiet" id="dialog-cancel" formmethod="dialog" formnovalidate>
          ${texts.stops.cancel}
        </button>
      </div>
    </form>
  </dialog>`;
