import { texts } from '../../messages/texts.ts';
import { deliveriesList, deliveryLog, liveState } from './content.ts';
import { SEND_ATTEMPT_AGAIN } from './attempt-detail.ts';
import { sendAttemptAgain } from '../events/send-again.ts';
import { page } from '../family.ts';
import type { LiveAsk } from '../family.ts';
import { ATTEMPT_FILTERS } from '../navigation.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { deliveriesOf, foundOf } from '../parts.ts';

/** The attempt that the address names, and how many match the filters. */
export const attemptOf = (ask: LiveAsk) => {
  const { api, account, open } = ask;
  const { attempt } = ask.question;
  const opened = attempt === '' ? undefined : open(() => api.readAttempt(account, attempt), texts.attempt.unknown);
  return { attempt: opened, ...foundOf(ask) };
};

export const deliveriesPage = page({
  path: '/deliveries',
  name: 'deliveries',
  asks: ['destination', ...ATTEMPT_FILTERS, 'cursor', 'attempt'],
  live: { load: deliveriesOf, content: deliveryLog },
  load: attemptOf,
  show: (view) => ({
    title: titleOf(texts.shell.deliveries),
    head: pageHead(texts.shell.deliveries, texts.deliveries.lead, liveState),
    content: deliveriesList(view),
  }),
  actions: { [SEND_ATTEMPT_AGAIN]: sendAttemptAgain },
});
