import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { environmentTable } from './environment-table.ts';
import { fieldTable } from './event-fields.ts';
import { replaceSection } from './generated-section.ts';
import { guidesWithCode } from './guide-code.ts';
import { brokenLinks } from './links.ts';

const variable = (name: string, defaultText: string | undefined, required = false, fromFile = false) => ({
  name,
  default: defaultText,
  description: `what ${name} is`,
  required,
  fromFile,
});

test('the table has a row per variable, with its defaults and readers', () => {
  const table = environmentTable([
    {
      program: 'api',
      variables: [variable('HOST', '0.0.0.0'), variable('OPS_PORT', '3100'), variable('TOKEN', undefined, true, true)],
    },
    {
      program: 'worker',
      variables: [variable('HOST', '0.0.0.0'), variable('OPS_PORT', '3101'), variable('MODE', 'a|b')],
    },
  ]);
  expect(table.split('\n').slice(2)).toEqual([
    '| `HOST` | `0.0.0.0` | what HOST is | all |',
    '| `OPS_PORT` | `3100` (api), `3101` (worker) | what OPS_PORT is | all |',
    '| `TOKEN` † | (required) | what TOKEN is | api |',
    '| `MODE` | `a\\|b` | what MODE is | worker |',
  ]);
});

test('the table of fields has a row per field, with the events that need it', () => {
  const type = (name: string, more: object, required: string[]) => ({
    properties: {
      account: { type: 'string', minLength: 1, maxLength: 64 },
      name: { const: name },
      module: { const: 'm' },
      ...more,
    },
    required: ['account', 'name', 'module', ...required],
  });
  const table = fieldTable(
    [
      type('open', { at: { type: 'integer', description: 'When.' } }, ['at']),
      type('click', { kind: { enum: ['a', 'b'] } }, []),
    ],
    'name',
  );
  expect(table.split('\n').slice(2)).toEqual([
    '| `account` | yes | all | text, 1 to 64 characters |  |',
    '| `module` | yes | all | `m` |  |',
    '| `name` | yes | all | `open`, `click` | The type of the event. |',
    '| `at` | yes | open | whole number | When. |',
    '| `kind` | no | click | `a` or `b` |  |',
  ]);
});

describe('a generated section', () => {
  const document = 'before\n<!-- table: generated -->\n\nold\n\n<!-- /table -->\nafter\n';
  test('is replaced, and the rest stays', () => {
    expect(replaceSection(document, 'table', 'costs $1')).toBe(document.replace('old', () => 'costs $1'));
  });
  test('may be empty at first', () => {
    expect(replaceSection(document.replace('\nold\n\n', ''), 'table', 'new')).toContain('-->\n\nnew\n\n<!--');
  });
  test('must have its markers', () => {
    expect(() => replaceSection('nothing', 'table', 'new')).toThrow('"table"');
  });
});

test('links to missing files and headings are found, and external links are ignored', () => {
  const text =
    '## Here\n[a](package.json) [b](missing.md#x) [c](https://example.com/x#y) [d](#here) [e](mailto:a@example.com) ' +
    '[f](#there) [g](docs/guides/retries.md#the-breaker) [h](docs/guides/retries.md#none)\n```sh\n# there\n```';
  expect(brokenLinks('README.md', text)).toEqual(['missing.md#x', '#there', 'docs/guides/retries.md#none']);
});

test('the code in a guide is the file that the guide names', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-guides-'));
  writeFileSync(path.join(folder, 'without.md'), 'no code\n');
  writeFileSync(path.join(folder, 'with.md'), 'see\n<!-- a.py: generated -->\n\nold\n\n<!-- /a.py -->\n');
  writeFileSync(path.join(folder, 'a.py'), "print('$1')\n");
  const guides = guidesWithCode(folder);
  rmSync(folder, { recursive: true });
  expect([...guides]).toEqual([
    [path.join(folder, 'with.md'), "see\n<!-- a.py: generated -->\n\n```python\nprint('$1')\n```\n\n<!-- /a.py -->\n"],
  ]);
});
