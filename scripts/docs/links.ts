import { existsSync } from 'node:fs';
import path from 'node:path';

/** Links of a Markdown document that lead to files of the project which are not there. */
export function brokenLinks(file: string, text: string): string[] {
  const targets = [...text.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map((found) => found[1] ?? '');
  return targets
    .filter((target) => !/^([a-z]+:|#)/i.test(target))
    .map((target) => target.replace(/#.*$/, ''))
    .filter((target) => !existsSync(path.join(path.dirname(file), target)));
}
