import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

const WIDTHS_PX = [360, 390, 768, 1024, 1180, 1440, 1920] as const;
const HEIGHT_PX = 900;
const SCRIPT = readFileSync(path.resolve('test/browser/rig/layout-faults.js'), 'utf8');

const run = (page: Page, checks: 'layout' | 'colors'): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`((checks) => { ${SCRIPT} })('${checks}')`);

/**
 * Looks at an open page at all widths, and at its colors in light and dark. Returns a line per fault with the widths
 * that have it. The page is not loaded again.
 */
export async function faultsOfLooks(page: Page): Promise<readonly string[]> {
  const looks = new Map<string, { fault: string; where: string[] }>();
  const add = (where: string, faults: readonly string[]): void => {
    for (const fault of faults) {
      const kind = fault.replaceAll(/\d+/g, '#');
      const known = looks.get(kind) ?? { fault, where: [] };
      looks.set(kind, known);
      known.where.push(where);
    }
  };
  for (const width of WIDTHS_PX) {
    await page.setViewportSize({ width, height: HEIGHT_PX });
    add(`${width} px`, await run(page, 'layout'));
  }
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    add(colorScheme, await run(page, 'colors'));
  }
  return [...looks.values()].map(({ fault, where }) => `${fault} (${where.join(', ')})`);
}
