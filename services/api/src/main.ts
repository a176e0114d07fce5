import { fileURLToPath } from 'node:url';
import { runProcess } from '@mailhook/platform/lifecycle';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

/** Beside the sources as beside what they are compiled to. */
const ASSETS_FOLDER = fileURLToPath(new URL('../assets', import.meta.url));

runProcess({
  name: 'api',
  start: (logger) => compose(loadConfig(), logger, ASSETS_FOLDER),
  closeTimeoutMs: 15_000,
});
