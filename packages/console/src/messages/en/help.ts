import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** Documentation, sessions, reports of receiver checks, and examples of requests. */
export const help = {
  developersLead: 'What you need to build on this, and who is signed in.',
  guidesText: 'From the first webhook to retries, signatures and complete receivers.',
  apiReference: 'API reference',
  apiReferenceText: 'Everything on these pages, through the REST API, with a form to try each call.',
  openApi: 'OpenAPI document',
  openApiText: 'For generators of clients. JSON Schemas of payloads are at /schemas.',

  baseUrl: 'Base URL of the API',
  baseUrlHint: 'All paths of the API begin with it.',
  sessions: 'Sessions',
  sessionsOfToken:
    'Browsers signed in with this access token. A session ends after an hour without use, or 8 hours at the latest.',
  sessionsOfPortal:
    'Browsers in which these settings were opened from where you came. A session ends after an hour without use, and ' +
    'after 8 hours at the latest.',
  since: ({ time }: { time: Content }) => html`Signed in ${time}`,
  thisBrowser: 'this browser',
  alike: ({ sessions }: { sessions: number }) =>
    plural(sessions, (number) => ({ one: `${number} more like it`, other: `${number} more like it` })),
  operator: ({ name }: { name: string }) => `operator ${name}`,
  endSession: ({ hidden, time }: { hidden: Around; time: Content }) =>
    html`End${hidden([' the session since ', time])}`,
  sessionsAway: 'The sessions could not be read. Try again in a minute.',
  signOutEverywhere: 'Sign out everywhere',

  passed: 'Passed',
  failed: 'Failed',
  warning: 'Could be better',
  skipped: 'Not checked',
  passedCount: ({ number }: { number: Content }) => html`Passed: ${number}`,
  skippedCount: ({ number }: { number: Content }) => html`Not checked: ${number}`,
  why: 'Why it matters:',
  fix: 'Fix:',
  report: 'What the check found',
  whatToWorkOn: 'What to work on',

  campaignExample: 'What your server receives, and what it answers',
  campaignRequest: 'A POST request with a JSON array of events:',
  batch: 'A batch of events',
  campaignReply: ({ deadline }: { deadline: Content }) =>
    html`Within ${deadline} it answers HTTP 200 and confirms each event by its hash. Mailhook sends unconfirmed events
    again.`,
  acknowledgement: 'The answer to a batch',
  connectionTest: ({ request, reply }: { request: Content; reply: Content }) =>
    html`“Test connection” sends ${request} instead, and expects ${reply}. A sample batch follows.`,

  sample: ({ type }: { type: Content }) => html`A sample request with ${type}`,
  body: 'Body of the request',
  singleRequest: ({ deadline }: { deadline: Content }) =>
    html`A POST request for each event, with one JSON object. A 2xx answer within ${deadline} confirms the event. After
    each other answer, Mailhook sends it again.`,
  arrayRequest: ({ deadline }: { deadline: Content }) =>
    html`A POST request with a JSON array of events. A 2xx answer within ${deadline} confirms all of them. After each
    other answer, Mailhook sends them again.`,
  batchRequest: ({ deadline }: { deadline: Content }) =>
    html`A POST request with a JSON array of events. Within ${deadline} your server answers HTTP 200 and confirms each
    event by its hash. Mailhook sends unconfirmed events again.`,
};
