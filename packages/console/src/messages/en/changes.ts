import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';

/** Who changed what of an account. */
export const changes = {
  title: 'Changes',
  lead: 'Who changed what of this account, for 90 days: people, programs and operators. Secrets are not shown.',
  by: 'By',
  anybody: 'anybody',
  customer: 'this account',
  operator: 'an operator',
  someOperator: 'An operator',
  about: 'About',
  everything: 'everything',
  endpoints: 'endpoints',
  deliveries: 'deliveries',
  access: 'access and secrets',
  alerts: 'alerts',
  none: 'No changes',
  noneHint: 'Nothing like that was changed in the last 90 days.',
  portal: 'Through a link from another page',
  mail: 'Through a link in an e-mail',
  onPages: 'on these pages',
  byApi: 'by the API',
  hiddenValue: 'changed, not shown',
  older: 'Older changes',
  newest: 'Newest changes',
  token: ({ name }: { name: Content }) => html`Token ${name}`,
  operatorNamed: ({ name }: { name: string }) => `Operator ${name}`,
  fields: ({ number }: { number: number }) => `${number} fields`,
};
