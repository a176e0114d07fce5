import type { Filtered, FilterTrial } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { LiveAsk } from '../family.ts';
import type { Loaded } from '../loaded.ts';
import { showLoaded } from './page-parts.ts';

const { fields: words } = texts;

/** What a form's filter has let through of the newest events. */
export interface WithTrial {
  /** Without a value: there is no filter. Undefined while the log is off. */
  readonly trial: Loaded<FilterTrial | undefined> | undefined;
}

/** Tries the filter that a form shows. `wanted` resolves with undefined while the form has faults. */
export const trialOf = (
  { api, account, read }: LiveAsk,
  wanted: () => Promise<Filtered | undefined>,
): { readonly trial: Promise<Loaded<FilterTrial | undefined>> | undefined } => ({
  trial: api.eventLog.isOn
    ? read(async () => {
        const filtered = await wanted();
        return filtered === undefined || filtered.filter === null
          ? undefined
          : api.eventLog.tryFilter(account, filtered);
      })
    : undefined,
});

/** Undefined if what was typed has faults, which the form shows. */
export function unlessRefused<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** Beside the fields of the filter. The script `filter-trial.js` renews it after a change of one of them. */
export const filterTrial = (prefix: string, { trial }: WithTrial): Markup =>
  html`<div aria-live="polite">
    <div id="${prefix}-trial" class="hint" data-part data-follows>
      ${trial === undefined ? words.noTrial : showLoaded(trial, (found) => html`${found && trialText(found)}`)}
    </div>
  </div>`;

const trialText = ({ events, passed }: FilterTrial): Content =>
  events === 0 ? words.nothingToTry : words.tried({ events, passed: count(passed) });
