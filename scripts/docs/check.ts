import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { generatedDocuments } from './generate.ts';
import { COMMANDS } from '../commands.ts';
import { createApiDocument } from '../../services/api/src/api-docs/document.ts';
import { brokenLinks } from './links.ts';
import { createFileCheck, unknownCommands, unknownPaths, unknownScripts } from './references.ts';
import { runCommand, UserError } from '../user-error.ts';

/**
 * Checks that the documentation matches the code, as far as a machine can: generated parts are current, and all links,
 * headings, commands, API paths and files exist.
 */
async function check(): Promise<void> {
  const stale = [...(await generatedDocuments())]
    .filter(([, { is, shouldBe }]) => is !== shouldBe)
    .map(([file]) => file);
  const faults = stale.map((file) => `${file}: its generated part is out of date; run \`npx mailhook docs\``);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const paths = Object.keys(createApiDocument().paths ?? {});
  const { stdout: files } = await promisify(execFile)('git', ['ls-files'], { maxBuffer: 16_000_000 });
  const unknownFiles = createFileCheck(files.split('\n'));
  for (const file of documents()) {
    const text = readFileSync(file, 'utf8');
    const missing = [
      ...brokenLinks(file, text),
      ...unknownScripts(text, Object.keys(scripts)),
      ...unknownCommands(text, Object.keys(COMMANDS)),
      ...unknownPaths(text, paths),
      ...unknownFiles(text),
    ];
    faults.push(...missing.map((target) => `${file}: there is no ${target}`));
  }
  if (faults.length > 0) throw new UserError(faults.join('\n'));
}

const documents = (): string[] => [...markdownIn('.', false), ...FOLDERS.flatMap((folder) => markdownIn(folder, true))];

const FOLDERS = ['docs', 'examples', 'packages', 'services'];

function markdownIn(folder: string, isRecursive: boolean): string[] {
  const names = readdirSync(folder, { recursive: isRecursive, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => path.join(folder, name));
}

void runCommand(check);
