import { TABLES, TYPES } from '../../packages/delivery/src/mailbox/layout.ts';

/** A table per packed value of a mailbox, by the name of its section in the document. */
export const mailboxFieldTables = (): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(TABLES).map(([name, rows]) => {
      const lines = rows.map(([field, type, meaning]) => `| \`${field}\` | ${TYPES[type].stored} | ${meaning} |`);
      return [name.toLowerCase(), ['| field | stored as | meaning |', '| --- | --- | --- |', ...lines].join('\n')];
    }),
  );
