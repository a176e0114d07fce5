import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { generatedDocuments } from './docs/generate.ts';
import { brokenLinks } from './docs/links.ts';
import { runCommand, UserError } from './user-error.ts';

/** The documentation says what the code does, as far as a machine can tell: generated parts are current, links lead somewhere. */
async function check(): Promise<void> {
  const stale = [...(await generatedDocuments())]
    .filter(([, { is, shouldBe }]) => is !== shouldBe)
    .map(([file]) => file);
  const faults = stale.map((file) => `${file}: its generated part is out of date; run \`npm run docs:env\``);
  for (const file of documents()) {
    faults.push(...brokenLinks(file, readFileSync(file, 'utf8')).map((target) => `${file}: there is no ${target}`));
  }
  if (faults.length > 0) throw new UserError(faults.join('\n'));
}

const documents = (): string[] => [...markdownIn('.', false), ...FOLDERS.flatMap((folder) => markdownIn(folder, true))];

const FOLDERS = ['docs', 'packages', 'services'];

function markdownIn(folder: string, isRecursive: boolean): string[] {
  const names = readdirSync(folder, { recursive: isRecursive, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => path.join(folder, name));
}

void runCommand(check);
