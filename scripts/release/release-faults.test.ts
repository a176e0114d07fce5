import { readFileSync } from 'node:fs';
import path from 'node:path';
import { changesOf, releaseFaults } from './release-faults.ts';

const read = (file: string): string => readFileSync(path.join(__dirname, '../..', file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
const withChanges = (changelog: string) => (file: string) => (file === 'CHANGELOG.md' ? changelog : read(file));
const dated = `# Changelog\n\n## ${version} (2026-12-01)\n\n- New.\n\n## 0.0.9 (2026-01-01)\n\n- Old.\n`;

test('a release may have the version that all files name, with its section in the changelog', () => {
  expect(releaseFaults(`v${version}`, withChanges(dated))).toEqual([]);
});

test('another version is refused, with every file that names the old one', () => {
  const faults = releaseFaults('v99.0.0', withChanges(dated));
  expect(faults).toContain(`package.json names version ${version}, not 99.0.0`);
  expect(faults).toContain(`docker-compose.yml names version ${version}, not 99.0.0`);
  expect(faults.at(-1)).toContain('CHANGELOG.md has no section "## 99.0.0');
});

test('pending changes are refused', () => {
  expect(releaseFaults(`v${version}`, withChanges(`${dated}\n## Pending\n`))).toEqual([
    expect.stringContaining('still has a section "Pending"'),
  ]);
});

test('a tag must be a version', () => {
  expect(releaseFaults('latest', read)).toEqual([expect.stringContaining('is no tag of a version')]);
});

test('the changes of a version are its section', () => {
  expect(changesOf(version, dated)).toBe('- New.');
  expect(changesOf('9.9.9', dated)).toBe('');
});
