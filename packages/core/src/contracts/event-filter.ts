import { z } from 'zod';
import { isAbsent, key, metadataKeys, metadataText, text, withPlainKeys } from './event-fields.ts';
import { domainOfName } from '../domain/email-domain.ts';

const FILTER_BYTES_MAX = 4096;
const CAMPAIGNS_MAX = 50;
const TAGS_MAX = 20;
const DOMAINS_MAX = 50;
const METADATA_KEYS_MAX = 5;
const LABELS_MAX = 20;

const list = <Entry extends z.ZodType>(entry: Entry, max: number) => z.array(entry).min(1).max(max);

/** In lower case and ASCII, with its dot. Undefined for what is no domain. */
function domainOf(given: string): string | undefined {
  const isWithSubdomains = given.startsWith('.');
  const name = domainOfName(isWithSubdomains ? given.slice(1) : given);
  return name?.includes('.') === true ? `${isWithSubdomains ? '.' : ''}${name}` : undefined;
}

const domain = z
  .string()
  .refine(
    (given) => domainOf(given) !== undefined,
    'must be a domain such as example.com, or .example.com for it and all below it',
  )
  .overwrite((given) => domainOf(given) ?? given)
  .meta({ examples: ['example.com', '.example.net'] });

/**
 * Which events of its types a destination gets. All keys must hold, and one entry of a list is enough. Text is equal,
 * and case counts. Stored as it is, with domains in lower case and ASCII.
 */
export const eventFilter = z
  .strictObject({
    campaigns: list(key(text(10)), CAMPAIGNS_MAX)
      .optional()
      .describe('Campaigns, for campaign events only.'),
    tags: list(key(text(128)), TAGS_MAX)
      .optional()
      .describe('Events with one of these tags.'),
    domains: list(domain, DOMAINS_MAX)
      .optional()
      .describe('Domains of recipients. `example.net` is this one, `.example.net` it and all below it.'),
    metadata: z
      .preprocess(
        withPlainKeys,
        z
          .record(z.string(), metadataText)
          .refine((given) => Object.keys(given).length >= 1, 'must have at least 1 key')
          .refine(
            (given) => Object.keys(given).length <= METADATA_KEYS_MAX,
            `must have at most ${METADATA_KEYS_MAX} keys`,
          ),
      )
      .optional()
      .meta({ ...metadataKeys, maxProperties: METADATA_KEYS_MAX })
      .describe('Events whose metadata have all of these keys with these texts.'),
    bounce: z.enum(['hard', 'soft']).optional().describe('Of bounces, those of this type.'),
    machine: z
      .enum(['never', 'only'])
      .optional()
      .describe('Of opens and clicks: never, those of people and of nobody knows whom. only, those of programs.'),
    first: z.literal(true).optional().describe('Of opens and clicks: the first ones of a message and recipient.'),
    labels: list(key(text(100)), LABELS_MAX)
      .optional()
      .describe('Of custom events, those with one of these labels.'),
  })
  .refine((given) => new TextEncoder().encode(JSON.stringify(given)).length <= FILTER_BYTES_MAX, {
    error: `must take at most ${FILTER_BYTES_MAX} bytes as JSON`,
  });
export type EventFilter = z.infer<typeof eventFilter>;

/** A filter as customers send it. Without a key it is none. */
export const filterInput = z.preprocess((given) => (isAbsent(given) ? null : given), eventFilter.nullable());
