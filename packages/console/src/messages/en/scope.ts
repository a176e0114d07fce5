import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';

const plural = pluralIn('en');

/** What an endpoint gets, as a sentence: "Gets bounces of transactional messages tagged receipt, one per request". */
export const scope = {
  gets: ({ events, shape }: { events: Content; shape: Content }) => html`Gets ${events}, ${shape}`,
  getsWithRecipient: ({ events, shape }: { events: Content; shape: Content }) =>
    html`Gets ${events}, ${shape}; includes the recipient’s address`,
  everything: 'all events, also of types to come,',
  transactional_email: 'of transactional messages',
  campaign: 'of campaigns',
  single: 'one per request',
  array: ({ max }: { max: number }) =>
    plural(max, (number) => ({ one: `as arrays of ${number}`, other: `as arrays of up to ${number}` })),
  batch: ({ max }: { max: number }) =>
    plural(max, (number) => ({
      one: `in batches of ${number}`,
      other: `in batches of up to ${number}`,
    })),
  confirmedEach: 'each event confirmed',

  tagged: ({ tags }: { tags: Content }) => html`tagged ${tags}`,
  ofCampaigns: ({ campaigns }: { campaigns: Content }) => html`with the hash ${campaigns}`,
  toDomains: ({ domains }: { domains: Content }) => html`to recipients at ${domains}`,
  withMetadata: ({ pairs }: { pairs: Content }) => html`with the metadata ${pairs}`,
  hard: 'without soft bounces',
  soft: 'without hard bounces',
  byPeople: 'without opens and clicks by programs',
  byPrograms: 'of opens and clicks only those by programs',
  firstOnly: 'of opens and clicks only the first ones',
  labeled: ({ labels }: { labels: Content }) => html`of the platform’s own events only ${labels}`,

  frequent:
    'sent and delivered come with every message. With one event per request, each of them costs your server a ' +
    'request. When many messages leave together, arrays of 100 need up to 100 times fewer requests. In our ' +
    'measurement they took a sixth of the processor time per event.',
  untagged:
    'An event without what this filter asks for does not pass it. So unsubscribes without a matching tag, ' +
    'campaign, domain or metadata will not come.',
};
