import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { coded } from '@mailhook/core';
import { stringify } from 'csv-stringify';
import type { DeadLetter, CustomerServices, OperatorServices } from '@mailhook/core';
import type { DeadLetterBox } from '@mailhook/delivery';
import type { AttemptLog } from '@mailhook/insight';
import { ProblemError } from '@mailhook/platform/http-server';
import type { RequestLimits } from '../auth/request-limits.ts';

interface DeadLettersDeps {
  readonly deadLetters: DeadLetterBox;
  readonly discard: OperatorServices['discard'];
  readonly attempts: Pick<AttemptLog, 'find'>;
  readonly limits: Pick<RequestLimits, 'charge' | 'scan'>;
}

/** Attempts that a dead letter shows. */
const HISTORY_MAX = 50;
/** Most events of a dead letter that a list reads to show the first. */
const READ_EVENTS_MAX = 20;
const PAGE = 200;
/** Requests that a page of the file with all dead letters counts as. */
const PAGE_COST = 10;

export const createDeadLetters = ({
  deadLetters: box,
  discard,
  attempts,
  limits,
}: DeadLettersDeps): CustomerServices['deadLetters'] => {
  return {
    list: async (account, { destination, cause, from, ...query }) => {
      const list = () => box.list({ account, destination, cause, from }, query);
      const isFiltered = destination !== undefined || cause !== undefined;
      const [page, summary] = await Promise.all([
        // What few dead letters match may take a search through all of them.
        isFiltered ? limits.scan(account, list) : list(),
        box.summary(account),
      ]);
      return { ...page, items: page.items.map(shown), ...summary };
    },
    read: (account, id) =>
      limits.scan(account, async () => {
        const found = await box.read(account, id);
        if (found === undefined) {
          throw new ProblemError('not_found', {
            detail: coded('unknown-dead-letter'),
          });
        }
        const { webhookId, payloads, firstKey, destination } = found;
        const { attempts: history } = await attempts.find(account, { eventKey: firstKey, destination });
        return {
          ...shown(found),
          ...(webhookId === undefined ? {} : { webhookId }),
          payloads: [...payloads],
          history: history.slice(0, HISTORY_MAX),
        };
      }),
    async firstEvents(account, letters) {
      const small = letters.filter(({ events }) => events <= READ_EVENTS_MAX);
      const read = await Promise.all(small.map(({ id }) => box.read(account, id)));
      return new Map(read.flatMap((one) => (one?.payloads[0] === undefined ? [] : [[one.id, one.payloads[0]]])));
    },
    sendCsv: (account, sendLines, timeOf = (iso) => iso) => {
      const send = async (): Promise<void> => {
        // After the first byte, an answer cannot become a 503.
        await box.list({ account }, { limit: 1 });
        // A receiver's text or an address that begins with "=" would be a formula for a spreadsheet. Without the byte
        // order mark, spreadsheets take other letters than ASCII for those of an old character set.
        const csv = stringify({ bom: true, header: true, columns: [...COLUMNS], escape_formulas: true });
        await pipeline(
          Readable.from(rows(box, account, timeOf, () => limits.charge(account, PAGE_COST))),
          csv,
          sendLines,
        );
      };
      // A client that reads slowly holds its turn, so files have a line of their own.
      return limits.scan(account, send, 'files');
    },
    groups: (account, filter) => limits.scan(account, () => box.groups(account, filter)),
    redrive: (account, input) => box.redrive({ account, ...input }),
    stopRedrive: async (account) => {
      await box.stopRedrive(account);
      return box.summary(account);
    },
    discard: async (account, input) => {
      const { discarded, events } = await discard({ account, ...input });
      return { deadLetters: discarded, events };
    },
  };
};

const COLUMNS = [
  'deadLetter',
  'givenUpAt',
  'kind',
  'destination',
  'address',
  'attempts',
  'error',
  'webhookId',
  'event',
  'hash',
  'messageId',
  'campaign',
  'email',
  'occurredAt',
  'url',
  'module',
  'shape',
  'id',
] as const;
type CsvRow = Readonly<Partial<Record<(typeof COLUMNS)[number], unknown>>>;

/** One row for each event. Holds the events of one dead letter in memory. */
async function* rows(box: DeadLetterBox, account: string, timeOf: TimeOf, onPage: () => void): AsyncGenerator<CsvRow> {
  let cursor: string | undefined;
  do {
    const page = await box.list({ account }, { limit: PAGE, cursor });
    onPage();
    for (const { id } of page.items) {
      const found = await box.read(account, id);
      for (const payload of found?.payloads ?? []) yield rowOf(found as NonNullable<typeof found>, payload, timeOf);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

function rowOf(
  found: NonNullable<Awaited<ReturnType<DeadLetterBox['read']>>>,
  payload: CsvPayload,
  timeOf: TimeOf,
): CsvRow {
  const { id, time, kind, module, shape, destination, address, attempts, error, webhookId } = found;
  const { event, name, hash, messageId, campaign, email, timestamp, time: notifiedAt, url } = payload;
  return {
    deadLetter: id,
    givenUpAt: timeOf(time),
    kind,
    destination,
    address,
    attempts,
    error: String(error),
    webhookId,
    event: event ?? name,
    hash,
    messageId,
    campaign,
    email,
    url,
    occurredAt: timeOf(new Date(Number(timestamp ?? notifiedAt) * 1000).toISOString()),
    module,
    shape,
    id: payload['id'],
  };
}

/** Writes a time (ISO 8601 in UTC) for the reader of the file. */
type TimeOf = (iso: string) => string;

type CsvPayload = Readonly<Record<string, unknown>>;

const shown = (one: DeadLetter): DeadLetter => {
  const { id, time, kind, module, shape, destination, address, events, attempts, error } = one;
  return { id, time, kind, module, shape, destination, address, events, attempts, error };
};
