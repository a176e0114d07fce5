import { settingsFaults } from '@mailhook/core';
import type { EventModule, Filtered, FilterTrial, Settings } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { actionButton } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { LiveAsk } from '../family.ts';
import type { Loaded } from '../loaded.ts';
import { PREVIEW } from './endpoint-form.ts';
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

/** Undefined also if the typed settings contradict each other. */
export const unlessFaulty = <Typed extends Settings & { readonly module: EventModule }>(
  read: () => Typed,
): Typed | undefined =>
  unlessRefused(() => {
    const typed = read();
    return settingsFaults(typed.module, typed).length > 0 ? undefined : typed;
  });

/** Beside the fields of the filter. The script `filter-trial.js` renews it after a change of one of them. */
export const filterTrial = (prefix: string, { trial }: WithTrial): Markup =>
  html`<div aria-live="polite">
    <div id="${prefix}-trial" class="hint" data-part data-follows>
      ${trial === undefined ? words.noTrial : showLoaded(trial, (found) => html`${found && trialText(found)}`)}
    </div>
  </div>`;

/** Does without a script what `filter-trial.js` does after each change. */
export const previewButton = (prefix: string): Markup =>
  html`<span data-without-script
    >${actionButton({
      id: `${prefix}-preview`,
      value: PREVIEW,
      text: texts.endpoints.preview,
      busy: texts.states.reading,
    })}</span
  >`;

const trialText = ({ events, passed }: FilterTrial): Content =>
  events === 0 ? words.nothingToTry : words.tried({ events, passed: count(passed) });
