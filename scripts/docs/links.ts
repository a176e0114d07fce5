import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { headingId } from '../../packages/console/src/guides/markdown.ts';

/** Returns the links of a Markdown document that lead to missing files of the project, or to missing headings. */
export function brokenLinks(file: string, text: string): string[] {
  const targets = [...text.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map((found) => found[1] ?? '');
  return targets.filter((target) => {
    if (/^[a-z]+:/i.test(target)) return false;
    const [name = '', heading] = target.split('#');
    const linked = name === '' ? file : path.join(path.dirname(file), name);
    if (!existsSync(linked)) return true;
    return (
      heading !== undefined && !headingsOf(linked === file ? text : readFileSync(linked, 'utf8')).includes(heading)
    );
  });
}

const headingsOf = (text: string): string[] =>
  [...text.replaceAll(/^ *```.*?^ *```/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => headingId(heading));
