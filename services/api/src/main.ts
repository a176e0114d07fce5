import { fileURLToPath } from 'node:url';
import { runProcess } from '@mailhook/platform/lifecycle';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

/** The relative paths are the same from the sources and from the compiled files. */
const FOLDERS = {
  assets: fileURLToPath(new URL('../../../packages/console/assets', import.meta.url)),
  docs: fileURLToPath(new URL('../../../docs', import.meta.url)),
};

runProcess({
  name: 'api',
  loadConfig,
  start: (config, logger) => compose(config, logger, FOLDERS),
  // Independent of the configuration, because open requests are cut after 5 s, together with the receiver tests that
  // they run.
  closeTimeoutMs: () => 15_000,
  survivesRejections: true,
});
