import { TABLES } from '../../packages/delivery/src/mailbox/layout.ts';
import type { FieldType } from '../../packages/delivery/src/mailbox/layout.ts';

const STORED: Readonly<Record<FieldType, string>> = {
  B: '1 byte',
  I2: '2 bytes',
  I4: '4 bytes',
  I6: '6 bytes',
  flag: '1 byte, 0 or 1',
  bit: 'a bit',
  part: 'a bit',
  length: '1 byte',
  lane: '1 character',
  'new lane': '1 byte, 1 for u',
  text: 'text, up to 255 bytes',
  'long text': 'text, up to 65,535 bytes',
  rest: 'text, the rest',
};

/** A table per packed value of a mailbox, by the name of its section in the document. */
export const mailboxFieldTables = (): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(TABLES).map(([name, rows]) => {
      const lines = rows.map(([field, type, meaning]) => `| \`${field}\` | ${STORED[type]} | ${meaning} |`);
      return [name.toLowerCase(), ['| field | stored as | meaning |', '| --- | --- | --- |', ...lines].join('\n')];
    }),
  );
