import { workerCloseTimeoutMs } from '@mailhook/delivery';
import { runProcess } from '@mailhook/platform/lifecycle';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

runProcess({
  name: 'campaign-batcher',
  loadConfig,
  start: compose,
  closeTimeoutMs: workerCloseTimeoutMs,
});
