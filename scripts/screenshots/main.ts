import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { provideTools } from '../checks/tools.ts';
import { lookAtEveryPage } from './looks.ts';
import { takePages } from './pages.ts';
import { createTerminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { launchChromium } from '../../test/browser/rig/chromium.ts';

const FOLDER = 'docs/images';
const LARGEST_BYTES = 150_000;

export const command = new Command()
  .description(
    'Takes the pictures for docs/images, and looks at every page on a bad day, at all widths and in all languages. ' +
      'Look at the pictures.',
  )
  .option('--only-looks', 'takes no pictures for docs/images')
  .option('--folder <folder>', 'also takes pictures of every page, into this folder')
  .option('--pages <text>', 'looks only at pages whose name holds this text')
  .action(async ({ onlyLooks = false, folder, pages: only }) => {
    const terminal = createTerminal();
    const missing = await provideTools(new Set(['redis-server', 'chromium']), false, (line) => terminal.line(line));
    if (missing.size > 0) throw new UserError([...missing.values()].join(', '));
    mkdirSync(FOLDER, { recursive: true });
    const fileOf = (name: string): string => path.join(FOLDER, `${name}.png`);
    const browser = await launchChromium();
    try {
      if (!onlyLooks) await takePages(browser, fileOf, (file) => terminal.line(sizeOf(file)));
      let faults = 0;
      await lookAtEveryPage(browser, {
        folder,
        only,
        onPage: (name, found) => {
          terminal.line(`  ${name}: ${found.length === 0 ? 'fine' : `${found.length} faults`}`);
          for (const fault of found) terminal.line(`    ${fault}`);
          faults += found.length;
        },
      });
      if (faults > 0) throw new UserError(`The pages have ${faults} faults of layout or color, listed above.`);
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
