import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ensureChromium } from '../checks/chromium.ts';
import { readArguments } from '../command-line.ts';
import { takeDashboard } from './dashboard/picture.ts';
import { takePages } from './pages.ts';
import { ensureRedisServer } from '../stack/redis-server.ts';
import { createTerminal } from '../terminal.ts';
import { runCommand, UserError } from '../user-error.ts';
import { launchChromium } from '../../test/browser/rig/chromium.ts';

const HELP = `npm run screenshots [-- pages | dashboard]

Takes the pictures of the documentation, docs/images. Look at them.

  pages       the settings page, the operations overview and Bull Board (without a word: these)
  dashboard   the Grafana dashboard's panels as a real Prometheus answers them, of a stack under load; takes two minutes,
              and fails when a panel has no data
  --help      this text
`;
const FLAGS = { help: { type: 'boolean', default: false } } as const;
const FOLDER = 'docs/images';
const LARGEST_BYTES = 150_000;
/** The dashboard consists of thirty pictures. */
const LARGEST_DASHBOARD_BYTES = 450_000;

/** Takes the pictures for the documentation. */
async function takePictures(): Promise<void> {
  const terminal = createTerminal();
  const { values, positionals } = readArguments(process.argv.slice(2), FLAGS, 'npm run screenshots --');
  if (values.help) {
    terminal.line(HELP);
    return;
  }
  const [what = 'pages', ...more] = positionals;
  if (!['pages', 'dashboard'].includes(what) || more.length > 0)
    throw new UserError(`There are no pictures "${positionals.join(' ')}": say pages or dashboard.`);
  await ensureRedisServer((command) => terminal.line(`Installing Redis: ${command}`), new AbortController().signal);
  await ensureChromium((command) => terminal.line(`Installing Chromium: ${command}`));
  mkdirSync(FOLDER, { recursive: true });
  const fileOf = (name: string): string => path.join(FOLDER, `${name}.png`);
  const browser = await launchChromium();
  try {
    if (what === 'pages') {
      await takePages(browser, fileOf, (file) => terminal.line(sizeOf(file, LARGEST_BYTES)));
    } else {
      await takeDashboard(browser, fileOf(what), terminal);
      terminal.line(sizeOf(fileOf(what), LARGEST_DASHBOARD_BYTES));
    }
  } finally {
    await browser.close();
  }
}

/** @throws when a picture is too large to be kept in the repository. */
function sizeOf(file: string, largestBytes: number): string {
  const bytes = statSync(file).size;
  if (bytes > largestBytes) throw new UserError(`${file} has ${bytes} bytes, and should have ${largestBytes} at most.`);
  return `  ${file}  ${Math.round(bytes / 1000)} kB`;
}

void runCommand(takePictures).then(() => process.exit());
