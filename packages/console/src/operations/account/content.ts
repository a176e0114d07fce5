import { bytesText, formatCount, hasHttps, OPERATIONS_ACCOUNT, percentText, plural } from '@mailhook/core';
import type { AccountDetails, DestinationView } from '@mailhook/core';
import { notice, section } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { hidden } from '../../html/elements.ts';
import { destinationTable, maskedAddress } from '../destinations/destination-table.ts';
import { buttonForm, confirmed } from '../forms.ts';
import { accountUrl } from '../navigation.ts';
import { tileList } from '../overview/tiles.ts';
import type { PageContext } from '../view.ts';

/** Named in a notice. */
const ADDRESSES_SHOWN = 10;

/** An account at a glance, with what its support needs. */
export const accountOverview = (account: AccountDetails, context: PageContext, isHttpsOnly: boolean): Markup =>
  html`<div id="figures" data-part>
      ${tileList([
        {
          name: 'Events kept',
          value: formatCount(account.events),
          hint: `${percentText(account.events / account.limits.events)} of its limit`,
          url: accountUrl(account.id, 'limits'),
          tone: account.share > 1 ? 'bad' : account.share >= 0.8 ? 'warn' : undefined,
        },
        {
          name: 'Dead letters',
          value: formatCount(account.deadLetters),
          hint: `Kept for ${context.deadLettersDays} days`,
        },
        {
          name: 'Delivered in 24 h',
          value: formatCount(account.delivered),
          hint: 'Events, without the last 3 s of a worker that was killed',
        },
        { name: 'Failed in 24 h', value: formatCount(account.failed), hint: 'Attempts' },
      ])}
    </div>
    ${httpsNotice(account, isHttpsOnly)}
    ${account.id !== OPERATIONS_ACCOUNT && html`${openAsCustomer(account)}${deletion(account)}`}`;

/** Addresses that could not be saved today, because of `HTTPS_ONLY_DESTINATIONS`. */
function httpsNotice({ id, destinations }: AccountDetails, isHttpsOnly: boolean): Content {
  const isBound = isHttpsOnly && id !== OPERATIONS_ACCOUNT;
  const found = destinations.filter(({ address }) => isBound && address !== '' && !hasHttps(address));
  const shown = found.slice(0, ADDRESSES_SHOWN);
  return (
    found.length > 0 &&
    notice(
      'warn',
      html`${plural(found.length, 'address is', 'addresses are')} without https, although HTTPS_ONLY_DESTINATIONS is on.
      Addresses that were saved before still get their events:
      ${shown.map(
        (one, i) => html`${i > 0 && ', '}<code>${maskedAddress(one.address)}</code> (${one.id})`,
      )}${found.length > shown.length && ', …'}`,
    )
  );
}

const openAsCustomer = ({ id }: AccountDetails): Markup =>
  section(
    {
      id: 'open',
      title: 'Open as customer',
      lead:
        'A link to the settings of this account. It opens once, within a minute. The session ends after an hour. ' +
        'The audit log records who made it, and what was changed.',
    },
    html`<div class="card">
      ${buttonForm(
        html`${hidden('account', id)}<label for="access">The session may</label
          ><select id="access" name="access">
            <option value="read">see everything</option>
            <option value="manage">change everything</option>
          </select>
          <button class="button primary" name="do" value="open-as-customer">Open as customer</button>`,
      )}
    </div>`,
  );

const deletion = ({ id }: AccountDetails): Markup =>
  section(
    { id: 'delete', title: 'Delete', lead: 'The account and its tokens are unknown immediately. Its data follows.' },
    html`<div class="card">
      ${confirmed(
        {
          id: 'delete-account',
          summary: 'Delete this account…',
          text: 'All of its settings, waiting events and dead letters are lost. Nothing brings them back.',
          type: id,
          button: 'Delete account',
          value: 'delete-account',
        },
        (fields) => buttonForm(html`${hidden('account', id)}${fields}`),
      )}
    </div>`,
  );

export const accountDestinations = (account: AccountDetails, context: PageContext): Markup =>
  destinationTable(
    'destinations',
    hasAddress(account.destinations),
    { ...context, account: account.id },
    'This account has no destination.',
  );

/** A campaign webhook without an address is none. */
export const hasAddress = (views: readonly DestinationView[]): readonly DestinationView[] =>
  views.filter(({ address }) => address !== '');

/** What the account keeps, beside what it may. */
export function accountLimits({ events, bytes, keptBodiesBytes, limits }: AccountDetails): Markup {
  const rows = [
    ['Events', formatCount(events), formatCount(limits.events), events / limits.events, 'WAITING_MAX_EVENTS'],
    ['Size', bytesText(bytes), bytesText(limits.bytes), bytes / limits.bytes, 'WAITING_MAX_BYTES'],
  ] as const;
  return html`<div class="card flush" id="limits" data-part>
      <table class="table">
        <caption class="unseen">
          Limits
        </caption>
        <thead>
          <tr>
            <th scope="col">What it keeps</th>
            <th scope="col" class="number">Now</th>
            <th scope="col" class="number">Limit</th>
            <th scope="col" class="number">Share</th>
            <th scope="col" class="wide">Set by</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ([name, now, limit, share, variable]) =>
              html`<tr>
                <th scope="row">
                  ${name}
                  <meter
                    min="0"
                    max="1"
                    high="0.8"
                    value="${Math.min(1, share).toFixed(3)}"
                    aria-label="${name}"
                  ></meter>
                </th>
                <td class="number">${now}</td>
                <td class="number">${limit}</td>
                <td class="number">${percentText(share)}</td>
                <td class="wide"><code>${variable}</code></td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="hint">
      Above 100 %, events of this account are refused with 429 until it keeps less. The limits are the same for all
      accounts.${
        keptBodiesBytes > 0 &&
        ` Bodies of its delivered requests take ${bytesText(
          keptBodiesBytes,
        )} more (DELIVERED_BODY_RETENTION), which refuse nothing.`
      }
    </p>`;
}
