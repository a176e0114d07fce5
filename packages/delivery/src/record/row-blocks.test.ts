import { packRows, repackRows, rowsIn, timeOfBlock } from './row-blocks.ts';

const rows = [
  '{"id":"b-1","time":"2026-11-27T21:00:01.000Z","names":["ż\\n🙂"]}',
  '{"id":"a-1","time":"2026-11-27T21:00:00.000Z"}',
];

test('a block has its rows, newest first, and the time of the newest', () => {
  const block = packRows(rows);
  expect(rowsIn(block)).toEqual(rows);
  expect(new Date(timeOfBlock(block)).toISOString()).toBe('2026-11-27T21:00:01.000Z');
  const other = repackRows(block, ['{}']);
  expect([timeOfBlock(other), rowsIn(other)]).toEqual([timeOfBlock(block), ['{}']]);
});

test('a block that another version stored is read', () => {
  const stored = Buffer.from(
    'AaIeztRoq1bKTFGyUkrSNVTSUSrJzE1VslIyMjAy0zU01DUyDzEytDIwsDIw1DMwMIhSquWqhihPxK/cAKocAA==',
    'base64',
  );
  expect(rowsIn(stored)).toEqual(rows.map((row) => row.replace(',"names":["ż\\n🙂"]', '')));
});
