import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { provideTools } from '../checks/tools.ts';
import { takePages } from './pages.ts';
import { createTerminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { launchChromium } from '../../test/browser/rig/chromium.ts';

const FOLDER = 'docs/images';
const LARGEST_BYTES = 150_000;

export const command = new Command()
  .description(
    'Takes the pictures of the settings page, the operations overview and Bull Board for docs/images. Look at them.',
  )
  .action(async () => {
    const terminal = createTerminal();
    const missing = await provideTools(new Set(['redis-server', 'chromium']), false, (line) => terminal.line(line));
    if (missing.size > 0) throw new UserError([...missing.values()].join(', '));
    mkdirSync(FOLDER, { recursive: true });
    const fileOf = (name: string): string => path.join(FOLDER, `${name}.png`);
    const browser = await launchChromium();
    try {
      await takePages(browser, fileOf, (file) => terminal.line(sizeOf(file)));
    } finally {
      await browser.close();
    }
  });

/** @throws when a picture is too large to be kept in the repository. */
function sizeOf(file: string): string {
  const bytes = statSync(file).size;
  if (bytes > LARGEST_BYTES)
    throw new UserError(`${file} has ${bytes} bytes, and should have ${LARGEST_BYTES} at most.`);
  return `  ${file}  ${Math.round(bytes / 1000)} kB`;
}
