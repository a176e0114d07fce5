import { replayInput } from '@mailhook/core';
import type { CustomerServices, ReplayCount, ReplayState } from '@mailhook/core';
import { parseOrThrow, ProblemError } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { done, refused } from '../../page/outcome.ts';
import type { Said } from '../../page/outcome.ts';
import { action } from '../family.ts';
import type { CustomerActions, LiveAsk } from '../family.ts';
import { valueOf } from '../loaded.ts';
import { endpointUrl } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';
import { endpointIn } from '../shared/change-address.ts';

const { replays: words } = texts;

/** A time span of the log (ISO 8601). */
export interface LogSpan {
  readonly from: string;
  readonly to: string;
}

/** The count of a span, before anything is sent. */
export interface CountedSpan extends LogSpan {
  readonly count: ReplayCount;
}

/** The log ends at a moving time, so a span begins a little later. */
const MARGIN_MS = 60_000;

/** What the log has, at most. */
export const wholeLog = (keptMs: number, nowMs: number): LogSpan => ({
  from: new Date(nowMs - keptMs + MARGIN_MS).toISOString(),
  to: new Date(nowMs).toISOString(),
});

/**
 * A span as far as the log reaches, which ends now at the latest. Undefined if the log has nothing of that time, or if
 * it is no span.
 */
function spanIn({ from = '', to = '' }: FormFields, keptMs: number, nowMs: number): LogSpan | undefined {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const startMs = Math.max(fromMs, Date.parse(wholeLog(keptMs, nowMs).from));
  const endMs = Math.min(toMs, nowMs);
  // A comparison with NaN is false.
  return startMs < endMs ? { from: new Date(startMs).toISOString(), to: new Date(endMs).toISOString() } : undefined;
}

/** The last replays of the endpoint that the page shows. Undefined on other tabs, and while the log is off. */
export const replaysOf = ({ api, account, question, read }: LiveAsk) => ({
  replays:
    question.tab === 'replay' && api.eventLog.isOn
      ? read(() => api.eventLog.replays(account, question.endpoint))
      : undefined,
});

export const isOngoing = ({ state }: ReplayState): boolean => state === 'running' || state === 'waiting';

/** Whether one of a range is in progress, beside which no other may start. */
export const isBusy = (replays: readonly ReplayState[]): boolean =>
  replays.some((one) => isOngoing(one) && one.from !== undefined);

/** What the page has counted before a replay starts. It does not count while one is in progress. */
export const countOf = (ask: LiveAsk) => {
  const { api, account, question, nowMs, read, open } = ask;
  const { tab, endpoint, from, to, outcome } = question;
  const isAsked = tab === 'replay' && api.eventLog.isOn && (from !== '' || to !== '');
  const count = async (): Promise<CountedSpan | undefined> => {
    const found = valueOf(await ask.destinations)?.find(({ id }) => id === endpoint);
    const span = spanIn({ from, to }, api.eventLog.keptMs, nowMs);
    if (found?.active !== true || span === undefined) return undefined;
    if (isBusy(await api.eventLog.replays(account, endpoint))) return undefined;
    return { ...span, count: await countSpan(api, account, endpoint, { ...span, outcome }) };
  };
  const past = async (): Promise<Past> => {
    const found = valueOf(await ask.destinations)?.find(({ id }) => id === endpoint);
    if (found?.active !== true || !(await api.eventLog.lacksPast(account, endpoint))) return {};
    return offerPast(api, account, endpoint, found.filter !== null);
  };
  return {
    counted: isAsked ? open(count) : undefined,
    past: tab === 'replay' && api.eventLog.isOn && !isAsked ? read(past) : undefined,
    keptMs: api.eventLog.keptMs,
  };
};

async function countSpan(
  api: CustomerServices,
  account: string,
  endpoint: string,
  form: FormFields,
): Promise<ReplayCount> {
  const found = await api.eventLog.replay(account, endpoint, inputOf(form, { dryRun: true }));
  return 'isComplete' in found ? found : { events: 0, isComplete: true, until: '' };
}

/** The filter of an endpoint applies to its replays too. The log counts without it. */
const inputOf = ({ from, to, outcome = '' }: FormFields, more: { readonly dryRun?: true } = {}) =>
  parseOrThrow(replayInput, { from, to, ...(outcome === '' ? {} : { outcome }), filter: true, ...more });

/** What a start takes: the span may have left the log since it was counted. */
export const startFields = (endpoint: string, { from, to }: LogSpan, outcome: PageQuestion['outcome']): FormFields => ({
  destination: endpoint,
  from,
  to,
  outcome,
});

const start = action({
  audit: 'start a replay',
  run: async ({ api, account, form }): Promise<Said> => {
    const span = spanIn(form, api.eventLog.keptMs, Date.now());
    if (span === undefined) return refused(422, words.noSpan);
    const endpoint = endpointIn(form);
    try {
      await api.eventLog.replay(account, endpoint, inputOf({ ...span, outcome: form['outcome'] ?? '' }));
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'replay_running') return refused(409, words.tooMany);
      throw error;
    }
    const link = (text: Parameters<typeof html>[1]) => html`<a href="${endpointUrl(endpoint, 'replay')}">${text}</a>`;
    return done(words.started({ link }));
  },
});

const stop = action({
  audit: 'stop a replay',
  run: async ({ api, account, form }) => {
    await api.eventLog.stopReplay(account, endpointIn(form), form['replay'] ?? '');
    return done(words.stoppedNow);
  },
});

export const START_REPLAY = 'start-replay';

export const replayActions: CustomerActions = { [START_REPLAY]: start, 'stop-replay': stop };

/** The past of a new endpoint, as an offer to send it. Empty without one. */
export type Past = Pick<Said, 'offer' | 'advice'>;

/** Offers the past to a new endpoint. Empty if there is none, or if it cannot be counted now. */
export async function offerPast(
  api: CustomerServices,
  account: string,
  endpoint: string,
  hasFilter: boolean,
): Promise<Past> {
  if (!api.eventLog.isOn) return {};
  const span = wholeLog(api.eventLog.keptMs, Date.now());
  const fields = startFields(endpoint, span, 'unmatched');
  // The endpoint is created, whether its past can be counted or not.
  const counted = await countSpan(api, account, endpoint, fields).catch(() => undefined);
  if (counted === undefined || counted.events === 0) return {};
  const { events, isComplete } = counted;
  return {
    advice: [words.past, hasFilter && [' ', words.filtered]],
    offer: {
      value: START_REPLAY,
      text: isComplete ? words.offer({ events }) : words.offerMore({ events }),
      busy: words.starting,
      fields,
    },
  };
}
