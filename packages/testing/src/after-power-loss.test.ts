import { afterPowerLoss, LOSS_VARIANTS } from './after-power-loss.ts';
import type { PowerLossOptions } from './after-power-loss.ts';

const PAGE = 4096;

/** Builds the folder, with file contents as text. Each choice takes the next number, or the last one again. */
function build(
  lines: readonly string[],
  contents: Readonly<Record<string, string>>,
  options: Partial<Omit<PowerLossOptions, 'random'>> & { readonly choices?: readonly number[] } = {},
) {
  const choices = [...(options.choices ?? [0])];
  const random = (): number => (choices.length > 1 ? choices.shift() : choices[0]) ?? 0;
  const contentOf = (file: string): Buffer => Buffer.from(contents[file] ?? '');
  const how = { variant: options.variant ?? 'synced', names: options.names ?? 'strict', random };
  const { files, lost } = afterPowerLoss(`${lines.join('\n')}\n`, contentOf, how);
  return { files: Object.fromEntries([...files].map(([name, content]) => [name, content.toString()])), lost };
}

describe('bytes that were not synced', () => {
  const APPENDED = ['held 7 3 log', 'begin 1', 'sync 1 7 5'];
  const written = { 7: 'abcdefghij' };

  test('synced: all are lost', () => {
    const { files, lost } = build(APPENDED, written);
    expect(files).toEqual({ log: 'abcde' });
    expect(lost).toEqual({ bytesUnsynced: 5, bytesKept: 0, namesLost: 0, isInRewrite: false });
  });

  test.each([0, 1, 2, 3, 4, 5])('prefix: the file is cut after %i of them', (kept) => {
    const { files, lost } = build(APPENDED, written, { variant: 'prefix', choices: [0, kept / 6 + 0.01] });
    expect(files).toEqual({ log: written[7].slice(0, 5 + kept) });
    expect(lost).toMatchObject({ bytesUnsynced: 5, bytesKept: kept });
  });

  test('zeros: the file has its length', () => {
    const { files, lost } = build(APPENDED, written, { variant: 'zeros' });
    expect(files).toEqual({ log: 'abcde\0\0\0\0\0' });
    expect(lost).toMatchObject({ bytesUnsynced: 5, bytesKept: 0 });
  });

  test('pages: some pages are zeros, and synced bytes of a lost page are not', () => {
    const text = 'x'.repeat(3 * PAGE);
    const lines = ['held 7 0 log', 'begin 1', `sync 1 7 ${PAGE + 10}`];
    // The page of the last synced byte is lost, and the next one is kept.
    const { files, lost } = build(lines, { 7: text }, { variant: 'pages', choices: [0, 0.9, 0.1] });
    expect(files).toEqual({ log: `${'x'.repeat(PAGE + 10)}${'\0'.repeat(PAGE - 10)}${'x'.repeat(PAGE)}` });
    expect(lost).toMatchObject({ bytesUnsynced: 2 * PAGE - 10, bytesKept: PAGE });
  });

  test.each(LOSS_VARIANTS)('%s: bytes of a completed sync are never lost, those of an open one may be', (variant) => {
    const lines = [...APPENDED, 'begin 1', 'stalled 1'];
    for (let i = 0; i < 20; i += 1) {
      const { files } = build(lines, written, { variant, choices: [i / 20] });
      expect(files['log']?.slice(0, 5)).toBe('abcde');
    }
    expect(build(lines, written).files).toEqual({ log: 'abcde' });
  });

  test('a truncation is durable', () => {
    expect(build(['held 7 9 log', 'cut 7 4'], { 7: 'abcdefg' }).files).toEqual({ log: 'abcd' });
  });
});

describe('names that were not synced', () => {
  const CREATED = ['name 8 new', 'begin 1', 'sync 1 8 3'];
  const REPLACED = ['held 7 3 manifest', 'name 8 temp', 'begin 1', 'sync 1 8 3', 'name 8 manifest'];
  const contents = { 7: 'old', 8: 'new' };

  test('a new file is gone until its folder is synced, though its bytes are', () => {
    expect(build(CREATED, contents)).toMatchObject({ files: {}, lost: { namesLost: 1, bytesUnsynced: 0 } });
    expect(build([...CREATED, 'begin 1', 'folder 1 .'], contents).files).toEqual({ new: 'new' });
  });

  test('another folder does not count, and a sync that began before the change does not either', () => {
    expect(build([...CREATED, 'begin 1', 'folder 1 appendonlydir'], contents).files).toEqual({});
    expect(build(['begin 1', 'name 8 new', 'folder 1 .'], contents).files).toEqual({});
  });

  test('a rename is undone: the old file is back', () => {
    expect(build(REPLACED, contents).files).toEqual({ manifest: 'old' });
    expect(build([...REPLACED, 'begin 1', 'folder 1 .'], contents).files).toEqual({ manifest: 'new' });
  });

  test('journal: a later sync of another file makes names durable', () => {
    // The sync of the new file covers its first name.
    expect(build(REPLACED, contents, { names: 'journal' }).files).toEqual({ manifest: 'old', temp: 'new' });
    const later = [...REPLACED, 'begin 2', 'sync 2 7 3'];
    expect(build(later, contents).files).toEqual({ manifest: 'old' });
    expect(build(later, contents, { names: 'journal' }).files).toEqual({ manifest: 'new' });
  });

  test('a removed file is back', () => {
    expect(build(['held 7 3 manifest', 'gone 7'], contents).files).toEqual({ manifest: 'old' });
    expect(build(['held 7 3 manifest', 'gone 7', 'begin 1', 'folder 1 .'], contents).files).toEqual({});
  });

  test.each([
    [0, { manifest: 'old' }],
    [0.4, { manifest: 'old', temp: 'new' }],
    [0.9, { manifest: 'new' }],
  ])('with every other variant, the oldest changes may be durable: choice %d', (choice, files) => {
    expect(build(REPLACED, contents, { variant: 'zeros', choices: [choice] }).files).toEqual(files);
  });
});

test('a rewrite is in progress from its first file to the manifest that names its result', () => {
  const manifest = 'name 9 appendonlydir/appendonly.aof.manifest';
  const rewriting = [manifest, 'name 8 temp-rewriteaof-41.aof', 'name 8 appendonlydir/appendonly.aof.2.base.rdb'];
  expect(build(rewriting, {}).lost.isInRewrite).toBe(true);
  expect(build([...rewriting, manifest], {}).lost.isInRewrite).toBe(false);
});
