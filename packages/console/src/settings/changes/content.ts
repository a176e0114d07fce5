import { operatorName } from '@mailhook/core';
import type { Change, Changes, ShownDestination } from '@mailhook/core';
import { agoOf, masked, shortAddress } from '../../html/elements.ts';
import { Localized, html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { fieldChanges } from '../../page/field-changes.ts';
import { choice } from '../deliveries/content.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { Loaded } from '../loaded.ts';
import { endpointName } from '../shared/endpoints.ts';
import { endpointUrl, urlOf } from '../navigation.ts';
import { showLoaded } from '../shared/page-parts.ts';

const words = texts.changes;

/** Which actions each choice of the filter has, by parts of their names. */
export const KINDS: ReadonlyMap<string, readonly [text: Content, parts: readonly string[]]> = new Map([
  ['endpoints', [words.endpoints, ['subscription', 'campaign webhook', 'destination', 'change headers']]],
  [
    'deliveries',
    [words.deliveries, ['pause', 'resume', 'send now', 'probe', 'replay', 'redrive', 'dead letters', 'give up']],
  ],
  ['access', [words.access, ['token', 'secret', 'session', 'portal']]],
  ['alerts', [words.alerts, ['alert']]],
]);

type ChangesView = Pick<Frame, 'destinations' | 'question'> & { readonly changes: Loaded<Changes> };

/** Who changed what, with a filter. */
export function changesContent(view: ChangesView): Markup {
  const { question } = view;
  const people = [
    ['', words.anybody],
    ['customer', words.customer],
    ['operator', words.operator],
  ] as const;
  const kinds = [['', words.everything] as const, ...[...KINDS].map(([name, [text]]) => [name, text] as const)];
  return html`<form method="get" class="filter" id="filter" data-filter>
      ${choice('by', words.by, people, question.by)}${choice('about', words.about, kinds, question.about)}
      <button class="button quiet" id="filter-show" data-without-script>${texts.deliveries.show}</button>
    </form>
    ${showLoaded(view.changes, (page) => list(page, view))}`;
}

function list({ items, nextCursor }: Changes, view: ChangesView): Markup {
  const names = namesOf(items, valueOf(view.destinations) ?? []);
  const { question } = view;
  return html`<ul class="rows card flush changes" id="change-list">
      ${items.map((one) => item(one, names))}${
        items.length === 0 && html`<li class="empty"><strong>${words.none}</strong>${words.noneHint}</li>`
      }
    </ul>
    <p class="more">
      ${question.cursor !== '' && html`<a href="${urlOf(question, { cursor: '' })}">${words.newest}</a> `}${
        nextCursor !== undefined && html`<a href="${urlOf(question, { cursor: nextCursor })}">${words.older}</a>`
      }
    </p>`;
}

function item(change: Change, names: Names): Markup {
  const about = { ...change, object: subjectOf(change) };
  return html`<li>
    <div>
      <p><strong>${actionText(change.action)}</strong> ${objectOf(about, names)}</p>
      ${fieldChanges(change.changes, about.object, (id) => names.get(id)?.name)}
    </div>
    <p class="muted who">${whoText(change)}</p>
    <p class="muted when">${agoOf(change.time)}</p>
  </li>`;
}

/** Of an entry that names no object, the only one that it has changed. */
function subjectOf({ object, changes = [] }: Change): string | undefined {
  const [first, ...others] = changes;
  return object ?? (others.every((one) => one.object === first?.object) ? first?.object : undefined);
}

type Names = ReadonlyMap<string, { readonly name: Content; readonly address?: Markup }>;

/** Fields that name an object to people. */
const NAMED_BY = ['name', 'label', 'email', 'address'];

/** Endpoints that still exist, and what the changes say of other objects. */
function namesOf(items: readonly Change[], endpoints: readonly ShownDestination[]): Names {
  const fields = items.flatMap(({ changes = [] }) => changes);
  const said = NAMED_BY.toReversed().flatMap((name) =>
    fields.flatMap(({ object, field, before, after }) =>
      field === name && object !== undefined
        ? [[object, { name: html`<bdi>${masked(after ?? before ?? '')}</bdi>` }] as const]
        : [],
    ),
  );
  const found = endpoints.map((one) => {
    const name = html`<a href="${endpointUrl(one.id)}">${endpointName(one)}</a>`;
    return [one.id, { name, address: shortAddress(one.address, 'muted') }] as const;
  });
  return new Map([...said, ...found]);
}

/** By its name, or by its id. What a portal link allows is no object. */
function objectOf({ object }: Change, names: Names): Content {
  if (object === undefined || object === 'read' || object === 'manage') return undefined;
  const destination = /^destination=(\S+)/.exec(object)?.[1];
  const id = destination?.startsWith('campaign-') === true ? 'campaign' : (destination ?? object);
  const found = names.get(id);
  if (found === undefined)
    return html`<span class="muted">${words.object({ id: html`<code>${masked(object)}</code>` })}</span>`;
  return [found.name, ' ', found.address];
}

/** An action of another version of Mailhook is named as it is. */
const actionText = (action: string): Content =>
  Object.hasOwn(texts.actions, action)
    ? texts.actions[action as keyof typeof texts.actions]
    : new Localized(() => html`<span lang="en">${action}</span>`);

function whoText({ actor, via, token, person, client }: Change): Content {
  if (actor === 'operator') {
    const name = operatorName({ token: token ?? '', person });
    return name === '' ? words.someOperator : words.operatorNamed({ name });
  }
  if (via === 'e-mail link') return words.mail;
  const who = token === 'portal link' ? words.portal : words.token({ name: html`<bdi>${token}</bdi>` });
  return [who, ' ', via === 'API' ? words.byApi : words.onPages, client !== undefined && html` (<bdi>${client}</bdi>)`];
}
