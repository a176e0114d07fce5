import { EVENT_TYPES, namesOf } from '@mailhook/core';
import { createPayloadSchemas } from '../../services/api/src/api-docs/payload-schemas.ts';

export interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
}

export interface EventType {
  readonly properties: Readonly<Record<string, Field>>;
  readonly required: readonly string[];
}

interface Definitions {
  readonly $defs: Readonly<Record<string, EventType & { readonly oneOf: readonly { readonly $ref: string }[] }>>;
}

type Union = 'ProducerTransactionalEvent' | 'ProducerCampaignEvent';

/** The schemas of a module's events, as producers send them. */
export function schemasOf(union: Union): (EventType | undefined)[] {
  const { $defs } = createPayloadSchemas().get('producer-event.json') as Definitions;
  return ($defs[union]?.oneOf ?? []).map(({ $ref }) => $defs[$ref.replace('#/$defs/', '')]);
}

/** Markdown tables of the fields that producers send, by the names of their sections in `docs/guides/producing.md`. */
export const eventFieldTables = (): ReadonlyMap<string, string> =>
  new Map([
    ['event-types', typeTable()],
    ['transactional-fields', fieldTable(schemasOf('ProducerTransactionalEvent'), 'name')],
    ['campaign-fields', fieldTable(schemasOf('ProducerCampaignEvent'), 'event')],
  ]);

function typeTable(): string {
  const rows = namesOf(EVENT_TYPES).map((name) => {
    const { modules, meaning } = EVENT_TYPES[name];
    return `| ${code(name)} | ${modules.length > 1 ? 'both' : code(modules[0])} | ${meaning} |`;
  });
  return ['| type | module | meaning |', '| - | - | - |', ...rows].join('\n');
}

/** A row for each field of these types of events. `discriminator` is the field that names the type. */
export function fieldTable(found: readonly (EventType | undefined)[], discriminator: string): string {
  const types = found.filter((type) => type !== undefined);
  const nameOf = ({ properties }: EventType): string => properties[discriminator]?.const ?? '';
  const common = ['account', 'module', discriminator];
  const names = [...new Set([...common, ...types.flatMap(({ properties }) => Object.keys(properties))])];
  const rows = names.map((name) => {
    const having = types.filter(({ properties }) => name in properties);
    const needing = having.filter(({ required }) => required.includes(name));
    const { description, ...field } = having[0]?.properties[name] ?? {};
    const isType = name === discriminator;
    return [
      code(name),
      needing.length === having.length ? 'yes' : needing.map(nameOf).join(', ') || 'no',
      having.length === types.length ? 'all' : having.map(nameOf).join(', '),
      isType ? having.map((type) => code(nameOf(type))).join(', ') : valueOf(field),
      description ?? (isType ? 'The type of the event.' : ''),
    ];
  });
  const lines = [['field', 'required', 'in', 'value', 'meaning'], Array.from({ length: 5 }, () => '-'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export const code = (text: string): string => `\`${text}\``;
const counted = (number: number): string => number.toLocaleString('en-US');

export function valueOf({ type, const: only, enum: options, minLength = 0, maxLength }: Field): string {
  if (only !== undefined) return code(only);
  if (options !== undefined) return options.map(code).join(' or ');
  if (type === 'integer') return 'whole number';
  if (type === 'boolean') return '`true` or `false`';
  if (type === 'object') return 'JSON object';
  if (type === 'array') return 'list of texts';
  if (maxLength === undefined) return 'text';
  if (minLength === maxLength) return `text, ${counted(minLength)} characters`;
  return `text, ${counted(minLength)} to ${counted(maxLength)} characters`;
}
