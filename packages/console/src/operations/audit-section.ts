import type { AuditEntry } from '../audit.ts';
import { masked, section, timeOf } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { accountLink } from './destination-cards.ts';
import type { Names } from './view.ts';

/** Entries on a page. The admin API has the others. */
export const ACTIONS_SHOWN = 10;

/** Who changed what lately. */
export const auditSection = (entries: readonly AuditEntry[], names: Names): Markup =>
  section(
    {
      id: 'actions',
      title: 'Recent actions',
      lead: 'Changes by customers and operators, kept for 90 days. GET /admin/audit lists all.',
    },
    entries.length === 0
      ? markup`<p class="card empty"><strong>None</strong>Nothing was changed in the last 90 days.</p>`
      : markup`<ul class="rows card flush">${entries.map((entry) => auditRow(entry, names))}</ul>`,
  );

const auditRow = ({ time, actor, via, token, action, account, object }: AuditEntry, names: Names): Markup =>
  markup`<li><div><p><strong>${masked(action)}</strong>${object !== undefined && markup` <code>${masked(object)}</code>`}</p>
<p class="muted">${timeOf(time)}, by ${actor === 'operator' ? 'an operator' : 'the customer'}, ${via}${token !== undefined && masked(` (token ${token})`)}${account !== undefined && markup`. Account ${accountLink(account, names)}`}</p></div></li>`;
