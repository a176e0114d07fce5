import { dropInput, operatorPauseInput } from '@mailhook/core';
import type { DestinationView, OperatorServices } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { destinationContent } from './content.ts';
import { excerpt, KINDS, maskedAddress, stateBadge } from '../destinations/destination-table.ts';
import { action, contextOf, DEAD_LETTERS_DAYS, page, said } from '../family.ts';
import { accountUrl, pageUrl } from '../navigation.ts';

type Run = (destinations: OperatorServices['destinations'], id: string) => Promise<DestinationView>;

/** An action on the destination that the form names. */
const onDestination = (audit: string, run: Run, text: (view: DestinationView) => Content) =>
  action({
    audit,
    run: async ({ services, form }) => {
      const { destination = '' } = form;
      const view = await run(services.destinations, destination);
      return said(form, text(view), { changed: { account: view.account, object: destination } });
    },
  });

const titleOf = ({ kind }: DestinationView): string => `${KINDS[kind]} destination`;

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
    title: settings?.name === undefined || settings.name === null ? titleOf(destination) : excerpt(settings.name),
    above: [pageUrl('destinations'), 'Destinations'],
    beside: html`<span id="state" data-part>${stateBadge(destination)}</span>`,
    lead: html`<a href="${accountUrl(destination.account)}">${names.get(destination.account) ?? destination.account}</a>
      <span class="address">${maskedAddress(destination.address)}</span>`,
    content: destinationContent(destination, settings, recent, contextOf(names)),
    isLive: true,
    asOf: new Date().toISOString(),
  }),
  actions: {
    probe: onDestination(
      'probe',
      (destinations, id) => destinations.probe(id),
      () => 'One event is tried now. If the receiver takes it, the other events follow.',
    ),
    'show-address': onDestination(
      'show address',
      (destinations, id) => destinations.find(id),
      ({ address }) => html`Who saw the whole address is recorded: <span class="address">${address}</span>`,
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
      run: async ({ services, form, input }) => {
        const { destination = '' } = form;
        const { account } = await services.destinations.pause(destination, input);
        return said(form, 'Paused. Nothing is sent until the pause ends or you resume the destination.', {
          changed: { account, object: destination },
        });
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
      run: async ({ services, form, input }) => {
        const { destination = '' } = form;
        const { account } = await services.destinations.drop(destination, input);
        return said(
          form,
          'The undelivered events become dead letters, step by step. ' +
            `They can be redriven for ${DEAD_LETTERS_DAYS} days.`,
          { changed: { account, object: destination } },
        );
      },
    }),
  },
});
