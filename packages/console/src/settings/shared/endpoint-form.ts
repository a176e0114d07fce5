import {
  BATCH_EVENTS_MAX,
  changedSettings,
  DEFAULT_SHAPES,
  defaultSettings,
  destinationInput,
  destinationSettingsInput,
  EVENT_TYPES,
  EVERY_TYPE,
  forEachName,
  isVersion1,
  LIMITS,
  namesOf,
} from '@mailhook/core';
import type {
  DestinationInput,
  DestinationSettingsInput,
  EventModule,
  EventTypeName,
  Settings,
  SettingsChange,
  ShownDestination,
} from '@mailhook/core';
import { invalid, parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';

/*
 * The settings of an endpoint as the fields of a form, and back. A form without a script sends no field for an empty
 * box, so a form with boxes has the field `boxes` too.
 */

/** The module of the specification's subscriptions. */
const MODULE = 'transactional_email';

/** Removes the spaces around a pasted address. */
export const typedAddress = ({ address = '' }: FormFields): string => address.trim();

/** The lists of a filter, as the form has them: one entry per line. */
const FILTER_LISTS = ['tags', 'campaigns', 'domains', 'labels'] as const;

/** The names of the boxes of types. */
export const BOXES = [...namesOf(EVENT_TYPES), EVERY_TYPE].map((type) => `types.${type}`);
const FIRST = 'filter.first';

/** The fields with these settings. */
function fieldsOf(settings: Settings): FormFields {
  const { address, name, types, version, shape, maxEvents, concurrency, filter } = settings;
  const { metadata = {}, bounce = '', machine = '', first = false } = filter ?? {};
  return {
    address,
    name: name ?? '',
    ...Object.fromEntries(BOXES.map((box) => [box, types.some((type) => box === `types.${type}`) ? '1' : ''])),
    version: String(version),
    shape,
    maxEvents: String(maxEvents),
    concurrency: String(concurrency ?? ''),
    ...forEachName(LIMITS, (limit) => String(settings[limit] ?? '')),
    ...Object.fromEntries(FILTER_LISTS.map((list) => [`filter.${list}`, (filter?.[list] ?? []).join('\n')])),
    'filter.metadata': Object.entries(metadata)
      .map(([key, value]) => `${key}: ${value}`)
      .join('\n'),
    'filter.bounce': bounce,
    'filter.machine': machine,
    [FIRST]: first ? '1' : '',
  };
}

/** The fields of the form of a saved endpoint. The address of the campaign webhook has a form of its own. */
export function savedFieldsOf({ id, ...settings }: ShownDestination): FormFields {
  const { address = '', ...others } = fieldsOf(settings);
  return id === 'campaign' ? others : { address, ...others };
}

/** The fields of a form for a new endpoint before anything is typed. */
export const NEW_FIELDS: FormFields = {
  ...Object.fromEntries(Object.keys(fieldsOf(newSettings(MODULE, ''))).map((name) => [name, ''])),
  module: MODULE,
  testType: '',
};

function newSettings(module: EventModule, address: string, types: Settings['types'] = ['open']): Settings {
  return { ...defaultSettings(module, { address, types }), address };
}

/** The fields of a sent form, with those of its empty boxes. */
export const withBoxes = (form: FormFields): FormFields =>
  form['boxes'] === undefined ? form : { ...Object.fromEntries([...BOXES, FIRST].map((box) => [box, ''])), ...form };

/** The boxes of types that are checked, in the order of the table. */
export const checkedTypes = (form: FormFields): string[] =>
  BOXES.filter((box) => (form[box] ?? '') !== '').map((box) => box.slice('types.'.length));

export const linesOf = (text = ''): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function metadataOf(text = ''): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw invalid([{ path: 'filter.metadata', message: 'has a line without a key and a colon' }]);
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

/** Null for a form without a filter. */
function filterIn(form: FormFields): object | null {
  const lists = FILTER_LISTS.map((list) => [list, linesOf(form[`filter.${list}`])] as const);
  const metadata = metadataOf(form['filter.metadata']);
  const { 'filter.bounce': bounce = '', 'filter.machine': machine = '', [FIRST]: first = '' } = form;
  const filter = {
    ...Object.fromEntries(lists.filter(([, entries]) => entries.length > 0)),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(bounce !== '' && { bounce }),
    ...(machine !== '' && { machine }),
    ...(first !== '' && { first: true }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}

/** The fields that are numbers, and what an empty one means. */
const NUMBERS: Readonly<Record<string, number | null>> = {
  maxEvents: BATCH_EVENTS_MAX,
  concurrency: null,
  ...forEachName(LIMITS, () => null),
};

/** What the fields say, of every setting but the address. It is not checked yet. */
function settingsIn(form: FormFields): Record<string, unknown> {
  const { name = '', version = '', shape = '' } = form;
  const numbers = Object.entries(NUMBERS).map(([field, none]): [string, number | null] => {
    const text = (form[field] ?? '').trim();
    return [field, text === '' ? none : Number(text)];
  });
  return {
    name: name.trim() === '' ? null : name.trim(),
    types: checkedTypes(form),
    ...(version !== '' && { version: Number(version) }),
    ...(shape !== '' && { shape }),
    ...Object.fromEntries(numbers),
    filter: filterIn(form),
  };
}

/** Version 1 of the body for what the specification has. */
function automaticVersion(module: string, types: readonly string[], shape: unknown): 1 | 2 {
  const isKnown = module === MODULE || module === 'campaign';
  if (!isKnown || (shape !== undefined && shape !== DEFAULT_SHAPES[module])) return 2;
  const names: readonly string[] = namesOf(EVENT_TYPES);
  const isListed = (type: string): type is EventTypeName => names.includes(type);
  return types.every((type) => isListed(type) && isVersion1(module, type)) ? 1 : 2;
}

/** The endpoint that a form asks for. Throws a 422 that names the fields. */
export function newEndpointIn(form: FormFields): DestinationInput {
  const settings = settingsIn(form);
  const module = (form['module'] ?? '') || MODULE;
  const types = checkedTypes(form);
  const version = automaticVersion(module, types, settings['shape']);
  return parseOrThrow(destinationInput, { version, ...settings, types, module, address: typedAddress(form) });
}

/**
 * What a form changes of saved settings. Fields that are as they were saved are left out, so that nothing changes which
 * the form cannot show exactly. Throws a 422 that names the fields.
 */
export function changesIn(form: FormFields, saved: Settings): DestinationSettingsInput {
  const [typed, fields] = [withBoxes(form), fieldsOf(saved)];
  const isChanged = (setting: string): boolean =>
    Object.entries(fields).some(([name, value]) => {
      const own = typed[name]?.replaceAll('\r\n', '\n');
      const isOf = name === setting || name.startsWith(`${setting}.`);
      return isOf && own !== undefined && own !== value && own.trim() !== value;
    });
  const settings = { ...settingsIn(typed), address: typedAddress(form) };
  const changed = Object.entries(settings).filter(([setting]) => isChanged(setting));
  return parseOrThrow(destinationSettingsInput, Object.fromEntries(changed));
}

const changed = <Former extends Settings>(former: Former, change: SettingsChange): Former => ({
  ...former,
  ...(changedSettings(former, change) as Settings),
});

/** Saved settings as they would be after the changes. */
export const changedBy = <Former extends Settings>(former: Former, changes: DestinationSettingsInput): Former => {
  const { module: _module, headers: _headers, ...settings } = changes;
  return changed(former, settings);
};

/** Whether a form has the fields of an endpoint's settings. */
export const hasSettings = ({ do: button = '' }: FormFields): boolean =>
  button.startsWith('save-endpoint') || button === PREVIEW;

export const PREVIEW = 'preview-endpoint';

/** The settings that a new endpoint would have. */
export function settingsOfNew(input: DestinationInput): Settings & { readonly module: EventModule } {
  const { module, headers: _headers, address, types, ...others } = input;
  return { module, ...changed(newSettings(module, address, types), others) };
}
