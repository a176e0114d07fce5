import { setTimeout as wait } from 'node:timers/promises';
import { dropInput, operatorPauseInput } from '@mailhook/core';
import type { DestinationView, OperatorServices } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { destinationContent } from './content.ts';
import { excerpt, maskedAddress, stateBadge, titleOf } from '../destinations/destination-table.ts';
import { action, contextOf, DEAD_LETTERS_DAYS, page } from '../family.ts';
import { done } from '../../page/outcome.ts';
import type { Said } from '../../page/outcome.ts';
import { accountUrl, pageUrl } from '../navigation.ts';

type Run = (destinations: OperatorServices['destinations'], id: string) => Promise<DestinationView>;

/** The outcome of an action on a destination, with its name as title. */
async function saidOf(
  { accounts }: OperatorServices,
  view: DestinationView,
  advice: Content,
  isGood = true,
): Promise<Said> {
  const name = titleOf(view, await accounts.namesOf([view.account]));
  return done(name, { advice, isGood, changed: { account: view.account, object: view.id } });
}

/** An action on the destination that the form names. */
const onDestination = (audit: string, run: Run, text: (view: DestinationView) => Content) =>
  action({
    audit,
    run: async ({ services, form: { destination = '' } }) => {
      const view = await run(services.destinations, destination);
      return saidOf(services, view, text(view));
    },
  });

const PROBE_WITHIN_MS = 2000;
const CHECK_EVERY_MS = 100;

/** Tries one event, and waits up to `PROBE_WITHIN_MS` for its result. */
async function probed(destinations: OperatorServices['destinations'], id: string): Promise<DestinationView> {
  let view = await destinations.probe(id);
  for (const untilMs = Date.now() + PROBE_WITHIN_MS; isTrying(view) && Date.now() < untilMs;) {
    await wait(CHECK_EVERY_MS);
    view = await destinations.find(id);
  }
  return view;
}

const isTrying = ({ breaker }: DestinationView): boolean => breaker === 'half-open';

function probeText({ breaker, lastError }: DestinationView): string {
  if (breaker === 'closed') return 'The receiver accepted one event, so the other events follow.';
  if (breaker === 'open') return `One event was tried, and failed: ${excerpt(String(lastError ?? 'no reason'))}.`;
  return 'One event is tried now, without a reply so far. This page shows what becomes of it.';
}

export const destinationPage = page({
  path: '/destinations/:id',
  name: 'destinations',
  asks: [],
  load: ({ services, question }) => {
    const destination = services.destinations.find(question.id);
    return {
      destination,
      names: destination.then(({ account }) => services.accounts.namesOf([account])),
      recent: destination.then(({ account, id }) => services.destinations.recent(account, id)),
      settings: destination.then(({ account, id }) => services.accounts.settingsOf(account, id)),
    };
  },
  show: ({ destination, names, settings, recent }) => ({
    title: titleOf(destination, names),
    above: [pageUrl('destinations'), 'Destinations'],
    beside: html`<span id="state" data-part>${stateBadge(destination)}</span>`,
    lead: html`<a href="${accountUrl(destination.account)}">${names.get(destination.account) ?? destination.account}</a>
      <span class="address">${maskedAddress(destination.address)}</span>`,
    content: destinationContent(destination, settings, recent, contextOf(names)),
    isLive: true,
    asOf: new Date().toISOString(),
  }),
  actions: {
    probe: action({
      audit: 'probe',
      run: async ({ services, form: { destination = '' } }) => {
        const view = await probed(services.destinations, destination);
        return saidOf(services, view, probeText(view), view.state !== 'parked');
      },
    }),
    'show-address': onDestination(
      'show address',
      (destinations, id) => destinations.find(id),
      ({ address }) => html`<span class="address">${address}</span> The audit log records who saw this address.`,
    ),
    'send-now': onDestination(
      'send now',
      (destinations, id) => destinations.sendNow(id),
      () =>
        'All resends are sent as fast as the receiver takes them. While its last attempt failed, one is tried first.',
    ),
    pause: action({
      audit: 'pause',
      input: ({ minutes }) => parseOrThrow(operatorPauseInput, { minutes: Number(minutes) }),
      run: async ({ services, form: { destination = '' }, input }) => {
        const view = await services.destinations.pause(destination, input);
        const text = 'Paused. Nothing is sent until the pause ends or you resume the destination.';
        return saidOf(services, view, text);
      },
    }),
    resume: onDestination(
      'resume',
      (destinations, id) => destinations.resume(id),
      () => 'Resumed. Waiting events are sent, unless the destination is still parked.',
    ),
    drop: action({
      audit: 'give up waiting events',
      input: ({ confirm = '' }) => parseOrThrow(dropInput, { confirm: confirm.trim() }),
      run: async ({ services, form: { destination = '' }, input }) => {
        const view = await services.destinations.drop(destination, input);
        const text =
          'The undelivered events become dead letters, step by step. ' +
          `They can be redriven for ${DEAD_LETTERS_DAYS} days.`;
        return saidOf(services, view, text);
      },
    }),
  },
});
