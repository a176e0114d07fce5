import { BATCH_EVENTS_MAX, EVERY_TYPE, LIMITS, namesOf, SHAPE_LIMITS, SHAPES, typesOf } from '@mailhook/core';
import type { EventModule } from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import { actionButton, formField, hidden } from '../../html/elements.ts';
import type { FieldOptions } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Outcome } from '../../page/outcome.ts';
import { BOXES, checkedTypes, linesOf, withBoxes } from './endpoint-form.ts';

const { fields: words } = texts;

/** What is stored in a checked box, for people. */
export const CHOSEN = Object.fromEntries(BOXES.map((name) => [name, words.chosen]));

type Errors = NonNullable<Outcome['errors']>;

/** What the fields of an endpoint's form show. */
export interface FieldsShown {
  /** Of their ids. */
  readonly prefix: string;
  /** What is stored, or what an untouched form for a new endpoint has. */
  readonly saved: FormFields;
  /** What was typed, if the form is shown again. */
  readonly typed: FormFields | undefined;
  /** Whether `typed` has only the fields that differ from what is stored. */
  readonly isOutdated?: boolean | undefined;
  readonly errors: Errors;
}

/** All fields as they are shown. */
const fieldsIn = ({ saved, typed, isOutdated = false }: FieldsShown): FormFields => ({
  ...saved,
  ...(isOutdated || typed === undefined ? typed : withBoxes(typed)),
});

/** What a field shows: what was typed, or what is stored. */
const valueIn = (shown: FieldsShown, name: string): string => fieldsIn(shown)[name] ?? '';

const savedIn = ({ saved }: FieldsShown, name: string): string => saved[name] ?? '';

/** The errors of a list and of its entries, each with the entry. */
function errorsAt({ errors }: FieldsShown, path: string, entries: readonly string[] = []): Content {
  const found = Object.entries(errors).flatMap(([at, message]): Content[] => {
    if (at === path) return [message];
    if (!at.startsWith(`${path}.`)) return [];
    const name = at.slice(path.length + 1);
    return [[html`(<bdi>${entries[Number(name)] ?? name}</bdi>) `, message]];
  });
  return found.length === 0 ? undefined : found.map((one, i) => [i > 0 && '; ', one]);
}

const option = (value: string, text: Content, chosen: string): Markup =>
  html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`;

interface Choice extends Omit<FieldOptions, 'id' | 'control' | 'error'> {
  readonly options: readonly (readonly [string, Content])[];
}

function choice(shown: FieldsShown, name: string, { options, ...more }: Choice): Markup {
  return formField({
    id: idOf(shown, name),
    ...more,
    error: errorsAt(shown, name),
    control: (attributes) =>
      html`<select ${attributes} name="${name}" data-saved="${savedIn(shown, name)}">
        ${options.map(([value, text]) => option(value, text, valueIn(shown, name)))}
      </select>`,
  });
}

const idOf = ({ prefix }: FieldsShown, name: string): string =>
  `${prefix}-${name.replace(EVERY_TYPE, 'all').replaceAll('.', '-')}`;

export const addressField = (shown: FieldsShown): Markup =>
  formField({
    id: idOf(shown, 'address'),
    label: texts.setup.url,
    error: shown.errors['address'],
    control: addressInput(valueIn(shown, 'address'), savedIn(shown, 'address')),
  });

/** The control of a field for a receiver's address. `saved`: the stored one. */
export const addressInput = (address: string, saved: string) => (attributes: Markup) =>
  html`<input
    ${attributes}
    class="address"
    name="address"
    type="url"
    inputmode="url"
    autocomplete="off"
    spellcheck="false"
    data-saved="${saved}"
    value="${address}"
    placeholder="https://example.com/hook"
  />`;

/** The button that goes on after a question, if the outcome asks one. */
export const anyway = (outcome: Outcome | undefined, text: Content): Markup | false =>
  outcome?.question !== undefined &&
  actionButton({ id: 'anyway', value: outcome.question, text, busy: texts.setup.saving, look: 'danger' });

function box(shown: FieldsShown, name: string, label: Content): Markup {
  const id = idOf(shown, name);
  const [value, saved] = [valueIn(shown, name), savedIn(shown, name)];
  return html`<div class="check">
    <input
      type="checkbox"
      id="${id}"
      name="${name}"
      value="1"
      data-saved="${saved}"
      ${value !== '' && html` checked`}
    />
    <label for="${id}">${label}</label>
  </div>`;
}

/**
 * The types of a module, or of both, each with its meaning. `hint`: what checked boxes mean. `isTitled`: a title beside
 * them names them.
 */
export function typeBoxes(
  shown: FieldsShown,
  module: EventModule | undefined,
  hint: Content,
  isTitled = false,
): Markup {
  const checked = checkedTypes(fieldsIn(shown));
  const error = errorsAt(shown, 'types', checked);
  const [id, name] = [`${shown.prefix}-types`, words.events];
  const all = typesOf(module ?? 'transactional_email');
  const everyType = html`<strong>${words.all}</strong> <span class="muted">${words.allHint}</span>`;
  return html`<fieldset class="field" id="${id}" ${error !== undefined && html` aria-describedby="${id}-error"`}>
    <legend${isTitled && html` class="unseen"`}>${name}</legend>
    ${hidden('boxes', '1')}
    ${
      error === undefined
        ? html`<p class="hint">${hint}</p>`
        : html`<p class="error" id="${id}-error">${name} ${error}</p>`
    }
    <div class="types">
      ${all.map((type) =>
        box(
          shown,
          `types.${type}`,
          html`<code>${type}</code>
            <span class="muted"
              >${texts.types[type]}${module === undefined && !isOfBoth(type) && transactionalOnly}</span
            >`,
        ),
      )}
      ${box(shown, `types.${EVERY_TYPE}`, everyType)}
    </div>
    <p class="notice warn if-frequent">${texts.scope.frequent}</p>
  </fieldset>`;
}

/** Shown while the form asks for events of campaigns. Unchecked, such a type is hidden then. */
const transactionalOnly = html`<span class="transactional-only"> ${words.transactionalOnly}</span>`;

const isOfBoth = (type: string): boolean => (typesOf('campaign') as readonly string[]).includes(type);

/** What the events are of. */
export const moduleField = (shown: FieldsShown): Markup =>
  choice(shown, 'module', {
    label: words.module,
    options: [
      ['transactional_email', words.transactional],
      ['campaign', words.campaign],
    ],
  });

export const nameField = (shown: FieldsShown): Markup =>
  formField({
    id: idOf(shown, 'name'),
    label: words.name,
    hint: words.nameHint,
    error: errorsAt(shown, 'name'),
    control: (attributes) =>
      html`<input
        ${attributes}
        name="name"
        autocomplete="off"
        data-saved="${savedIn(shown, 'name')}"
        value="${valueIn(shown, 'name')}"
      />`,
  });

/** `usual`: the text of the choice that a new endpoint has by itself. */
export const versionField = (shown: FieldsShown, usual?: Content): Markup =>
  choice(shown, 'version', {
    label: words.version,
    hint: words.versionHint,
    options: [...unchosen(usual), ['1', words.version1], ['2', words.version2]],
  });

export const shapeField = (shown: FieldsShown, usual?: Content): Markup =>
  choice(shown, 'shape', {
    label: words.shape,
    options: [...unchosen(usual), ...SHAPES.map((shape) => [shape, words[shape]] as const)],
  });

const unchosen = (usual: Content): readonly (readonly [string, Content])[] =>
  usual === undefined ? [] : [['', usual]];

const NUMBERS = {
  maxEvents: BATCH_EVENTS_MAX,
  concurrency: SHAPE_LIMITS.single.concurrency,
  maxRequestsPerSecond: LIMITS.maxRequestsPerSecond.max,
} as const;

/** Placeholders: the values in effect while a field is empty. */
const USUAL = {
  maxEvents: words.maxEventsUsual,
  concurrency: words.concurrencyUsual,
  maxRequestsPerSecond: words.maxRequestsPerSecondUsual,
} as const;

/** How many events and requests, and how fast. */
export const limitFields = (shown: FieldsShown, names: readonly (keyof typeof NUMBERS)[] = namesOf(NUMBERS)): Markup =>
  html`${names.map((name) =>
    formField({
      id: idOf(shown, name),
      label: words[name],
      hint: words[`${name}Hint`],
      error: errorsAt(shown, name),
      control: (attributes) =>
        html`<input
          ${attributes}
          name="${name}"
          type="number"
          min="1"
          max="${NUMBERS[name]}"
          inputmode="numeric"
          placeholder="${USUAL[name]}"
          data-saved="${savedIn(shown, name)}"
          value="${valueIn(shown, name)}"
        />`,
    }),
  )}`;

const EXAMPLES = {
  tags: 'receipt',
  campaigns: 'aBcDeFgHiJ',
  domains: '.example.net',
  metadata: 'order: 4711',
  labels: 'survey.answered',
} as const;

/**
 * A field for each key of a filter. Those for campaigns only are left out for the other module. `isTitled`: a title
 * beside it says that it is a filter.
 */
export function filterFields(shown: FieldsShown, module: EventModule | undefined, isTitled = false): Markup {
  const names = namesOf(EXAMPLES).filter((name) => name !== 'campaigns' || module !== 'transactional_email');
  const error = shown.errors['filter'];
  return html`<fieldset class="field" id="${shown.prefix}-filter">
    <legend${isTitled && html` class="unseen"`}>${words.filter}</legend>
    <p class="hint">${words.filterHint}</p>
    ${error !== undefined && html`<p class="error">${words.filter} ${error}</p>`}
    <p class="notice warn if-untagged">${texts.scope.untagged}</p>
    <div class="grid">
      ${names.map((name) => filterList(shown, name))}
      ${choice(shown, 'filter.bounce', {
        label: words.bounce,
        options: [
          ['', words.both],
          ['hard', words.hardOnly],
          ['soft', words.softOnly],
        ],
      })}
      ${choice(shown, 'filter.machine', {
        label: words.machine,
        options: [
          ['', words.both],
          ['never', words.neverMachine],
          ['only', words.onlyMachine],
        ],
      })}
    </div>
    ${box(shown, 'filter.first', words.firstOnly)}
  </fieldset>`;
}

/** Whether a key of the filter is filled in, or has an error. */
export const isFiltered = (shown: FieldsShown): boolean =>
  Object.entries({ ...fieldsIn(shown), ...shown.errors }).some(
    ([name, value]) => name.startsWith('filter') && value !== '',
  );

const filterList = (shown: FieldsShown, key: keyof typeof EXAMPLES): Markup => {
  const name = `filter.${key}`;
  const value = valueIn(shown, name);
  return formField({
    id: idOf(shown, name),
    label: words[key],
    hint: words[`${key}Hint`],
    error: errorsAt(shown, name, linesOf(value)),
    control: (attributes) =>
      html`<textarea
        ${attributes}
        name="${name}"
        rows="2"
        spellcheck="false"
        autocomplete="off"
        data-saved="${savedIn(shown, name)}"
        placeholder="${EXAMPLES[key]}"
      >
${value}</textarea>`,
  });
};
