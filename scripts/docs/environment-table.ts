import type { VariableDescription } from '@mailhook/platform/config';

export interface ProgramEnvironment {
  /** The program's name in the table. */
  readonly program: string;
  readonly variables: readonly VariableDescription[];
}

interface Row {
  readonly name: string;
  readonly description: string;
  readonly fromFile: boolean;
  readonly readers: { readonly program: string; readonly defaultText: string }[];
}

/** Stands behind the variables that may come from a file. The text before the table explains it. */
const FILE_MARK = ' †';

/**
 * Makes one Markdown table of the environment of all programs: a row per variable, in the order of first appearance.
 */
export function environmentTable(environments: readonly ProgramEnvironment[]): string {
  const rows = new Map<string, Row>();
  for (const { program, variables } of environments) {
    for (const variable of variables) {
      const { name, description, fromFile } = variable;
      const row = rows.get(name) ?? { name, description, fromFile, readers: [] };
      row.readers.push({ program, defaultText: defaultOf(variable) });
      rows.set(name, row);
    }
  }
  const lines = [...rows.values()].map(
    ({ name, description, fromFile, readers }) =>
      `| \`${name}\`${fromFile ? FILE_MARK : ''} | ${defaults(readers)} | ${escaped(description)} | ` +
      `${readersOf(readers, environments)} |`,
  );
  return ['| variable | default | meaning | read by |', '|---|---|---|---|', ...lines].join('\n');
}

function defaultOf(variable: VariableDescription): string {
  if (variable.required) return '(required)';
  return variable.default === undefined || variable.default === '' ? '' : `\`${variable.default}\``;
}

/** One default, or one per program where they differ. */
function defaults(readers: Row['readers']): string {
  const distinct = [...new Set(readers.map(({ defaultText }) => defaultText))];
  if (distinct.length === 1) return escaped(distinct[0] ?? '');
  return escaped(readers.map(({ program, defaultText }) => `${defaultText} (${program})`).join(', '));
}

function readersOf(readers: Row['readers'], environments: readonly ProgramEnvironment[]): string {
  const services = environments.filter(({ program }) => program !== 'npm start');
  return readers.length === services.length ? 'all' : readers.map(({ program }) => program).join(', ');
}

/** Escapes bars, because a bar would end the cell. */
const escaped = (text: string): string => text.replaceAll('|', '\\|');
