import { EVENT_TYPES, isVersion1, namesOf, typesIn } from '@mailhook/core';
import type { EventModule, EventTypeName } from '@mailhook/core';
import { codeTabs } from '../../html/code-tabs.ts';
import { unseen } from '../../html/elements.ts';
import { listOf } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Frame } from '../family.ts';
import { endpointUrl } from '../navigation.ts';
import { endpointsOf } from '../shared/endpoints.ts';
import { sampleBody } from '../shared/sample-request.ts';

const words = texts.catalog;

const MODULES = { transactional_email: words.ofMessages, campaign: words.ofCampaigns };

/** Every type of the table: what it means, its fields and bodies, and which endpoints of the account get it. */
export const eventCatalog = (view: Frame): Markup =>
  html`<div class="card flush catalog">${namesOf(EVENT_TYPES).map((name) => entry(name, view))}</div>`;

/** What the page reads of a row of the table. */
interface Row {
  readonly modules: readonly EventModule[];
  readonly fields: Readonly<Record<string, { readonly description?: string | undefined }>>;
  readonly required: readonly string[];
  readonly requiredInTransactional?: readonly string[];
}

/** A line that opens. */
function entry(name: EventTypeName, view: Frame): Markup {
  const row: Row = EVENT_TYPES[name];
  return html`<section id="type-${name}" aria-labelledby="type-${name}-title">
    <details id="about-${name}">
      <summary>
        <h2 id="type-${name}-title" tabindex="-1"><code>${name}</code></h2>
        <span class="muted">${texts.types[name]}</span>
      </summary>
      <div class="of-type">
        <div>
          <h3>${words.ownFields}</h3>
          ${fieldsOf(row)}
          <h3>${words.comesFrom}</h3>
          <p>${listOf(row.modules.map((module) => MODULES[module]))}</p>
        </div>
        <div>
          <h3>${words.bodies}</h3>
          ${bodies(name, row)}
        </div>
      </div>
    </details>
    <p class="get-it"><span class="muted">${words.getIt}</span> ${endpointsWith(name, view)}</p>
  </section>`;
}

/** Which endpoints of the account get it, also those that are off. */
function endpointsWith(name: EventTypeName, view: Frame): Content {
  const found = endpointsOf(view).flatMap((endpoint) => {
    const { settings } = endpoint;
    if (settings === undefined || !typesIn(settings.module, settings.types).includes(name)) return [];
    const notes = [!settings.active && words.off, settings.filter !== null && words.filtered].filter(
      (note) => note !== false,
    );
    const note = notes.length > 0 && [' (', listOf(notes), ')'];
    return [html`<a href="${endpointUrl(endpoint.id)}">${endpoint.name}</a>${note}`];
  });
  if ('fault' in view.destinations) return '–';
  return found.length === 0 ? words.nobody : listOf(found);
}

/** The descriptions are those of the API, in English. */
function fieldsOf({ fields, required, requiredInTransactional = [] }: Row): Markup {
  const names = Object.keys(fields);
  if (names.length === 0) return html`<p class="muted">${words.noFields}</p>`;
  const need = (name: string): Content => {
    if (required.includes(name)) return html` <strong>${words.required}</strong>`;
    return requiredInTransactional.includes(name) && html` <strong>${words.requiredInMessages}</strong>`;
  };
  return html`<ul class="fields">
    ${names.map(
      (name) =>
        html`<li>
          <code>${name}</code>${need(name)} <small class="muted" lang="en">${fields[name]?.description}</small>
        </li>`,
    )}
  </ul>`;
}

/** One body for each version and module that has the type. */
function bodies(name: EventTypeName, { modules }: Row): Markup {
  const all = ([2, 1] as const).flatMap((version) =>
    modules
      .filter((module) => version === 2 || isVersion1(module, name))
      .map((module) => ({ version, module, body: words.bodyOf({ version, module: MODULES[module] }) })),
  );
  return codeTabs({
    id: `body-${name}`,
    legend: words.whichBody,
    samples: all.map(({ version, module, body }) => ({
      name: body,
      code: sampleBody(module, name, version, 'single'),
    })),
    label: (body) => words.example({ type: name, body }),
    copy: () => words.copy({ hidden: unseen, type: name }),
  });
}
