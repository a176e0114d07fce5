import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import type { Around } from '../catalog.ts';

/** The page with every type of event. */
export const catalog = {
  title: 'Event catalog',
  lead: 'Every type of event: what it means, what it holds, and which of your endpoints get it.',
  ofMessages: 'transactional messages',
  ofCampaigns: 'campaigns',
  comesFrom: 'Comes from',
  ownFields: 'Own fields in version 2',
  noFields: 'None',
  required: 'required',
  requiredInMessages: 'required for transactional messages',
  getIt: 'Your endpoints',
  nobody: 'No endpoint gets it.',
  off: 'off',
  filtered: 'with a filter',
  bodies: 'Bodies to copy',
  whichBody: 'Version and module',
  bodyOf: ({ version, module }: { version: number; module: Content }) => html`Version ${version}, ${module}`,
  example: ({ type, body }: { type: string; body: Content }) => html`Example of ${type}: ${body}`,
  copy: ({ hidden, type }: { hidden: Around; type: string }) => html`Copy${hidden(` the example of ${type}`)}`,
};
