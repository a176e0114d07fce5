import { fileURLToPath } from 'node:url';
import { runProcess } from '@mailhook/platform/lifecycle';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

/** The relative path is the same from the sources and from the compiled files. */
const ASSETS_FOLDER = fileURLToPath(new URL('../assets', import.meta.url));

runProcess({
  name: 'api',
  loadConfig,
  start: (config, logger) => compose(config, logger, ASSETS_FOLDER),
  // Independent of the configuration, because open requests are cut after 5 s, together with the receiver tests that they run.
  closeTimeoutMs: () => 15_000,
});
