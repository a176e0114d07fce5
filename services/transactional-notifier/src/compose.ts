import { startWorkerService } from '@mailhook/delivery';
import { createEngineGauges } from '@mailhook/insight';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Config } from './config.ts';

/** The service's composition root. */
export const compose = (config: Config, logger: Logger): Promise<Closeable> =>
  startWorkerService({
    name: 'transactional-notifier',
    kind: 'transactional',
    config,
    logger,
    scheduleMs: config.TRANSACTIONAL_RETRY_SCHEDULE ?? config.RETRY_SCHEDULE,
    addGauges: (metrics, installation) => createEngineGauges({ metrics, installation, kinds: ['transactional'] }),
  });
