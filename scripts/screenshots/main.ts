import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ensureChromium } from '../checks/chromium.ts';
import { readArguments } from '../command-line.ts';
import { takePages } from './pages.ts';
import { ensureRedisServer } from '../stack/redis-server.ts';
import { createTerminal } from '../terminal.ts';
import { runCommand, UserError } from '../user-error.ts';
import { launchChromium } from '../../test/browser/rig/chromium.ts';

const HELP = `npm run screenshots

Takes the pictures of the settings page, the operations overview and Bull Board for docs/images. Look at them.
`;
const FLAGS = { help: { type: 'boolean', default: false } } as const;
const FOLDER = 'docs/images';
const LARGEST_BYTES = 150_000;

/** Takes the pictures for the documentation. */
async function takePictures(): Promise<void> {
  const terminal = createTerminal();
  const { values } = readArguments(process.argv.slice(2), FLAGS, 'npm run screenshots --');
  if (values.help) {
    terminal.line(HELP);
    return;
  }
  await ensureRedisServer((command) => terminal.line(`Installing Redis: ${command}`), new AbortController().signal);
  await ensureChromium((command) => terminal.line(`Installing Chromium: ${command}`));
  mkdirSync(FOLDER, { recursive: true });
  const fileOf = (name: string): string => path.join(FOLDER, `${name}.png`);
  const browser = await launchChromium();
  try {
    await takePages(browser, fileOf, (file) => terminal.line(sizeOf(file)));
  } finally {
    await browser.close();
  }
}

/** @throws when a picture is too large to be kept in the repository. */
function sizeOf(file: string): string {
  const bytes = statSync(file).size;
  if (bytes > LARGEST_BYTES)
    throw new UserError(`${file} has ${bytes} bytes, and should have ${LARGEST_BYTES} at most.`);
  return `  ${file}  ${Math.round(bytes / 1000)} kB`;
}

void runCommand(takePictures).then(() => process.exit());
