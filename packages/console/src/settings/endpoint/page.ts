import type { Filtered } from '@mailhook/core';
import { notice } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { campaignActions } from './campaign-actions.ts';
import { deliveryLog } from '../deliveries/content.ts';
import { endpointState } from '../shared/destination-state.ts';
import { stateNotice } from './endpoint-notice.ts';
import { endpointContent, endpointHeader, endpointLive, endpointOf } from './content.ts';
import { page } from '../family.ts';
import type { Ask } from '../family.ts';
import { valueOf } from '../loaded.ts';
import { loginActions } from './login-section.ts';
import { ATTEMPT_FILTERS, pathOf } from '../navigation.ts';
import { attemptOf } from '../deliveries/page.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { deadLettersOf, deliveriesOf, historyOf, newestOf, secretUsesOf, signingOf } from '../parts.ts';
import { busyNote, replayList } from './replay-content.ts';
import { countOf, replayActions, replaysOf } from './replays.ts';
import { stopActions } from './stop-actions.ts';
import { endpointActions } from '../shared/endpoint-actions.ts';
import { changedBy, changesIn, hasSettings } from '../shared/endpoint-form.ts';
import { trialOf, unlessRefused } from '../shared/filter-trial.ts';

const { shell } = texts;

/** What the form of the settings shows. */
async function shownSettings({ destinations, question: { endpoint, tab }, typed }: Ask): Promise<Filtered | undefined> {
  const found = valueOf(await destinations)?.find(({ id }) => id === endpoint);
  if (tab !== 'settings' || found === undefined || typed === undefined || !hasSettings(typed))
    return tab === 'settings' ? found : undefined;
  return unlessRefused(() => changedBy(found, changesIn(typed, found)));
}

export const endpointPage = page({
  path: '/endpoints/:endpoint',
  name: 'endpoints',
  asks: [...ATTEMPT_FILTERS, 'cursor', 'attempt', 'outcome'],
  live: {
    load: (ask) => {
      const deliveries = deliveriesOf(ask);
      return {
        ...historyOf(ask),
        ...deliveries,
        ...newestOf(ask, deliveries),
        ...deadLettersOf(ask, { destination: ask.question.endpoint }),
        ...replaysOf(ask),
      };
    },
    content: (view) => {
      const { endpoint, tab } = view.question;
      const found = endpointOf(view);
      if (found === undefined) return html``;
      return html`${[endpointState(found, view), stateNotice(endpoint, view)]}${endpointLive(found, view)}${
        (tab === 'overview' || tab === 'deliveries' || tab === 'testing') && deliveryLog(view)
      }${view.replays !== undefined && [busyNote(view), replayList(view)]}`;
    },
  },
  load: (ask) => ({
    ...signingOf(ask),
    ...secretUsesOf(ask),
    ...attemptOf(ask),
    ...countOf(ask),
    ...trialOf(ask, () => shownSettings(ask)),
    settings: ask.read(() => ask.api.destinationSettings.list(ask.account)),
  }),
  show: (view, outcome) => {
    const found = endpointOf(view);
    if (found !== undefined)
      return {
        title: titleOf(found.name),
        head: endpointHeader(found, view),
        content: endpointContent(found, view, outcome),
      };
    const isUnknown = valueOf(view.destinations) !== undefined;
    const list = (words: Content) => html`<a href="${pathOf('endpoints')}">${words}</a>`;
    return {
      title: titleOf(shell.endpoint),
      head: pageHead(shell.endpoint, isUnknown && shell.noSuchEndpoint),
      content:
        'fault' in view.destinations
          ? notice('bad', view.destinations.fault)
          : html`<p class="empty card">${shell.mayBeDeleted({ all: list })}</p>`,
      status: isUnknown ? 404 : 200,
    };
  },
  actions: { ...campaignActions, ...endpointActions, ...stopActions, ...loginActions, ...replayActions },
});
