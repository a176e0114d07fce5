import { startWorkerService } from '@mailhook/delivery';
import { createEngineGauges } from '@mailhook/insight';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Config } from './config.ts';

/** The service's composition root. */
export const compose = (config: Config, logger: Logger): Promise<Closeable> =>
  startWorkerService({
    name: 'campaign-batcher',
    kind: 'campaign',
    config,
    logger,
    scheduleMs: config.CAMPAIGN_RETRY_SCHEDULE ?? config.RETRY_SCHEDULE,
    addGauges: (metrics, installation) => createEngineGauges({ metrics, installation, kinds: ['campaign'] }),
  });
