import { runProcess } from '@mailhook/platform/lifecycle';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

runProcess({
  name: 'transactional-notifier',
  start: (logger) => compose(loadConfig(), logger),
  closeTimeoutMs: 15_000,
});
