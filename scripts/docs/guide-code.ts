import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { replaceSection } from './generated-section.ts';

const LANGUAGES: Readonly<Record<string, string>> = { '.mjs': 'js', '.ts': 'ts', '.py': 'python', '.php': 'php' };

/**
 * Returns the guides that show code, with their current and correct texts. Each section `<!-- FILE: generated -->`
 * holds that file, which a test runs.
 */
export function guidesWithCode(folder: string): ReadonlyMap<string, string> {
  const guides = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return new Map(
    guides.flatMap((name) => {
      const is = readFileSync(path.join(folder, name), 'utf8');
      const sections = [...is.matchAll(/<!-- ([\w./-]+\.\w+): generated/g)].map((found) => found[1] ?? '');
      const shouldBe = sections.reduce((text, file) => replaceSection(text, file, codeBlock(folder, file)), is);
      return sections.length === 0 ? [] : [[path.join(folder, name), shouldBe] as const];
    }),
  );
}

function codeBlock(folder: string, file: string): string {
  const code = readFileSync(path.join(folder, file), 'utf8').trimEnd();
  return `\`\`\`${LANGUAGES[path.extname(file)] ?? ''}\n${code}\n\`\`\``;
}
