import { createHash } from 'node:crypto';
import {
  batchBody,
  CAMPAIGN_FIELDS,
  campaignFragment,
  derivedHash,
  EVENT_TYPES,
  exampleCampaignEvent,
  fullExample,
  identityText,
  namesOf,
  NOTIFICATION_FIELDS,
  notificationFragment,
  objectOf,
  version2Fragment,
  VOCABULARIES,
} from '@mailhook/core';
import type { EventTypeName, TransactionalEvent } from '@mailhook/core';
import { code, schemasOf, valueOf } from './event-fields.ts';
import type { EventType } from './event-fields.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** What an event may have beside the fields of its type. */
const COMMON = {
  id: 'evt_8f1c',
  email: 'anna@example.com',
  messageId: 'm-2026-000124',
  metadata: { order: '4711' },
  tags: ['receipt'],
};

/** The sections of `docs/guides/events.md`: each type with its meaning, its own fields, and its bodies to copy. */
export function eventCatalog(): ReadonlyMap<string, string> {
  const transactional = byType(schemasOf('ProducerTransactionalEvent'), 'name');
  const campaign = byType(schemasOf('ProducerCampaignEvent'), 'event');
  const sections = namesOf(EVENT_TYPES).map((name) =>
    [
      `## ${name}`,
      `${EVENT_TYPES[name].meaning}${
        EVENT_TYPES[name].modules.length > 1 ? '' : ` Only ` + `${code('transactional_email')}.`
      }`,
      ownFields(name, transactional.get(name), campaign.get(name)),
      json(version2Body(name)),
      ...version1Bodies(name),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  );
  return new Map([['event-catalog', sections.join('\n\n')]]);
}

/** The section of the producer's README: an event of each type. */
export function producerExamples(): ReadonlyMap<string, string> {
  const { metadata, tags } = COMMON;
  const events = namesOf(EVENT_TYPES).map((name, at) =>
    JSON.stringify({ ...fullExample('transactional_email', name), ...(at === 0 && { metadata, tags }) }),
  );
  const code = [
    "import type { ProducerEvent } from '@mailhook/producer';",
    '',
    'const events: ProducerEvent[] = [',
    ...events.map((event) => `${event},`),
    '];',
  ];
  return new Map([['producer-events', `\`\`\`ts\n${code.join('\n')}\n\`\`\``]]);
}

/** The tables of `docs/guides/vocabulary.md`: the names of each type in some vocabularies. */
export const typeNameTables = (): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(VOCABULARY_SECTIONS).map(([section, columns]) => [
      section,
      tableOf(
        ['Mailhook', ...columns],
        namesOf(EVENT_TYPES).map((name) => {
          const { elsewhere }: { readonly elsewhere: { readonly [Name in Vocabulary]?: string } } = EVENT_TYPES[name];
          return [code(name), ...columns.map((column) => elsewhere[column] ?? '-')];
        }),
      ),
    ]),
  );

type Vocabulary = (typeof VOCABULARIES)[number];

/** The vocabularies of each section, so that a table fits a page. */
const VOCABULARY_SECTIONS: Readonly<Record<string, readonly Vocabulary[]>> = {
  'types-1': VOCABULARIES.slice(0, 4),
  'types-2': VOCABULARIES.slice(4, 9),
  'types-3': VOCABULARIES.slice(9),
};

function byType(schemas: readonly (EventType | undefined)[], discriminator: string): ReadonlyMap<string, EventType> {
  return new Map(
    schemas.flatMap((schema) =>
      schema === undefined ? [] : [[schema.properties[discriminator]?.const ?? '', schema] as const],
    ),
  );
}

function ownFields(name: EventTypeName, transactional?: EventType, campaign?: EventType): string {
  const rows = Object.keys(EVENT_TYPES[name].fields).map((field) => {
    const { description = '', ...value } = transactional?.properties[field] ?? {};
    return [code(field), presence(field, transactional, campaign), valueOf(value), description];
  });
  return rows.length === 0 ? '' : tableOf(['field', 'present', 'value', 'meaning'], rows);
}

function presence(field: string, transactional?: EventType, campaign?: EventType): string {
  const isRequired = (schema: EventType | undefined): boolean => schema?.required.includes(field) ?? true;
  if (!isRequired(transactional)) return 'if known';
  return isRequired(campaign) ? 'always' : 'always in `transactional_email`';
}

/** An event with every field of the table's example. */
const fullEvent = (name: EventTypeName) =>
  ({ ...fullExample('transactional_email', name), ...COMMON }) as TransactionalEvent;

const version2Body = (name: EventTypeName): string => objectOf(version2Fragment(fullEvent(name), sha256));

/** The bodies that the specification has for this type, each with a line that says where it is sent. */
function version1Bodies(name: EventTypeName): string[] {
  const bodies: string[] = [];
  if (name in NOTIFICATION_FIELDS) {
    bodies.push('Version 1, a notification:', json(notificationFragment(fullEvent(name))));
  }
  if (name in CAMPAIGN_FIELDS) {
    const event = exampleCampaignEvent(name as keyof typeof CAMPAIGN_FIELDS);
    const fragment = campaignFragment(event, derivedHash(identityText(event), sha256));
    bodies.push('Version 1, a campaign batch:', json(batchBody(fragment, 1)));
  }
  return bodies;
}

const json = (body: string): string => `\`\`\`json\n${JSON.stringify(JSON.parse(body), null, 2)}\n\`\`\``;

const tableOf = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
