import { fileURLToPath } from 'node:url';
import { runProcess } from '@mailhook/platform/lifecycle';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

/** Beside the sources as beside what they are compiled to. */
const ASSETS_FOLDER = fileURLToPath(new URL('../assets', import.meta.url));

runProcess({
  name: 'api',
  loadConfig,
  start: (config, logger) => compose(config, logger, ASSETS_FOLDER),
  // Whatever the configuration: requests under way are cut after 5 s, the tests that they run with them.
  closeTimeoutMs: () => 15_000,
});
