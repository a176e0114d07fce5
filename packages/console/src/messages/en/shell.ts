import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** Around every page. */
export const shell = {
  webhooks: 'Webhooks',
  titleOfPage: ({ page }: { page: Content }) => [page, ' · Webhooks'],
  skip: 'Skip to the settings',
  guides: 'Guides',
  signOut: 'Sign out',
  seenAs: ({ account, operator }: { account: string; operator: string }) =>
    `You see this as ${account}. What you change is recorded as a change by the operator ${operator}.`,
  end: 'End',
  backTo: ({ name }: { name: string }) => `Back to ${name}`,
  settings: 'Settings',

  overview: 'Overview',
  endpoints: 'Endpoints',
  troubled: ({ hidden, troubled }: { hidden: Around; troubled: number }) =>
    plural(troubled, (number) => ({
      one: html`${number}${hidden(' endpoint needs attention')}`,
      other: html`${number}${hidden(' endpoints need attention')}`,
    })),
  deliveries: 'Deliveries',
  deadLetters: 'Dead letters',
  events: 'Find an event',
  secrets: 'Signing secrets',
  developers: 'Developers',
  testing: 'Testing',

  keys: 'Keys',
  keySearch: 'Find an event',
  keyNext: 'Next row',
  keyBefore: 'Row before',
  keyOpen: 'Open the row',
  keyClose: 'Close what is open',
  keyKeys: 'This list',
  language: 'Language',
  change: 'Change',
  timesAreIn: ({ zone }: { zone: string }) => `Times are in ${zone}`,
  timesIn: 'Times in',

  readOnly: 'You can see everything here. To change or test something, you need an access that may manage webhooks.',
  endpoint: 'Endpoint',
  noSuchPage: 'There is no such page',
  nothingAt: ({ path }: { path: Content }) => html`There is nothing at ${path}. Check the address, or go on from here:`,
  noSuchEndpoint: 'This endpoint does not exist.',
  mayBeDeleted: ({ all }: { all: (words: Content) => Content }) =>
    html`It may have been deleted. ${all('All endpoints')}`,
  away: 'This cannot be read at the moment. Nothing is lost; try again in a minute.',

  unread: ({ strong }: { strong: (words: Content) => Content }) =>
    html`${strong('These figures cannot be read at the moment.')} A dash stands for what is unknown, and other figures
    are the last ones that were read. Nothing is lost, and this page tries again by itself.`,
  unsaved: 'Unsaved changes',
  unsavedText: 'You have unsaved changes',
  discardChanges: 'Discard changes',
  saveChanges: 'Save changes',
};
