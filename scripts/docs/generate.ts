import { existsSync, readFileSync } from 'node:fs';
import { EVENT_TYPES, namesOf } from '@mailhook/core';
import { describeEnvironment } from '@mailhook/platform/config';
import { format } from 'oxfmt';
import type { FormatConfig } from 'oxfmt';
import { createAdminDocument } from '../../services/api/src/api-docs/admin-document.ts';
import { createApiDocument } from '../../services/api/src/api-docs/document.ts';
import { createPayloadSchemas } from '../../services/api/src/api-docs/payload-schemas.ts';
import { environment as api } from '../../services/api/src/config.ts';
import { environment as batcher } from '../../services/campaign-batcher/src/config.ts';
import { environment as notifier } from '../../services/transactional-notifier/src/config.ts';
import { startEnvironment } from '../stack/settings.ts';
import { environmentTable } from './environment-table.ts';
import { eventCatalog, producerExamples, typeNameTables } from './event-catalog.ts';
import { eventFieldTables } from './event-fields.ts';
import { replaceSection } from './generated-section.ts';
import { guidesWithCode } from './guide-code.ts';
import { mailboxFieldTables } from './mailbox-fields.ts';

/**
 * Returns the files with generated parts, each with its current text (empty if it is missing) and the text that it
 * should have.
 */
export async function generatedDocuments(): Promise<
  ReadonlyMap<string, { readonly is: string; readonly shouldBe: string }>
> {
  const table = environmentTable([
    { program: 'api', variables: describeEnvironment(api) },
    { program: 'notifier', variables: describeEnvironment(notifier) },
    { program: 'batcher', variables: describeEnvironment(batcher) },
    { program: 'npm start', variables: describeEnvironment({ DATA_DIR: startEnvironment.DATA_DIR }) },
  ]);
  const configuration = replaceSection(readFileSync(CONFIGURATION, 'utf8'), 'environment', table);
  const documents = new Map([
    [CONFIGURATION, configuration],
    [PRODUCING, withTables(PRODUCING, eventFieldTables())],
    [EVENTS, withTables(EVENTS, eventCatalog())],
    [PRODUCER, withTables(PRODUCER, producerExamples())],
    [VOCABULARY, withTables(VOCABULARY, typeNameTables())],
    [MAILBOX, withTables(MAILBOX, mailboxFieldTables())],
    [EXAMPLE_TYPES, JSON.stringify(exampleTypes())],
    ...guidesWithCode('docs/guides'),
    ...contracts(),
  ]);
  const style = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as FormatConfig;
  return new Map(
    await Promise.all(
      [...documents].map(async ([file, text]) => {
        const { code: shouldBe } = await format(file, text, style);
        return [file, { is: existsSync(file) ? readFileSync(file, 'utf8') : '', shouldBe }] as const;
      }),
    ),
  );
}

const withTables = (file: string, tables: ReadonlyMap<string, string>): string =>
  [...tables].reduce((text, [name, table]) => replaceSection(text, name, table), readFileSync(file, 'utf8'));

/** The types of events with values of their own fields, for the example producers in all languages. */
const exampleTypes = (): object[] =>
  namesOf(EVENT_TYPES).map((type) => {
    const { modules, example: fields } = EVENT_TYPES[type];
    return { type, modules, fields };
  });

const EXAMPLE_TYPES = 'examples/producers/types.json';
const CONFIGURATION = 'docs/configuration.md';
const PRODUCING = 'docs/guides/producing.md';
const EVENTS = 'docs/guides/events.md';
const PRODUCER = 'packages/producer/README.md';
const VOCABULARY = 'docs/guides/vocabulary.md';
const MAILBOX = 'packages/delivery/src/mailbox/lua/README.md';

/** The API documents and the JSON Schemas of payloads, for those who read them without a running Mailhook. */
const contracts = (): [string, string][] => [
  ['docs/openapi.json', JSON.stringify(createApiDocument())],
  ['docs/openapi-admin.json', JSON.stringify(createAdminDocument())],
  ...[...createPayloadSchemas()].map(([file, schema]): [string, string] => [
    `docs/schemas/${file}`,
    JSON.stringify(schema),
  ]),
];
