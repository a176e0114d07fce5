import { existsSync } from 'node:fs';
import path from 'node:path';

/** Returns the links of a Markdown document that lead to missing files of the project. */
export function brokenLinks(file: string, text: string): string[] {
  const targets = [...text.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map((found) => found[1] ?? '');
  return targets
    .filter((target) => !/^([a-z]+:|#)/i.test(target))
    .map((target) => target.replace(/#.*$/, ''))
    .filter((target) => !existsSync(path.join(path.dirname(file), target)));
}
