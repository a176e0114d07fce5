import {
  commonEnvironment,
  deliveryEnvironment,
  egressEnvironment,
  optional,
  port,
  readConfig,
  redisUrlReader,
  scheduleMs,
} from '@mailhook/platform/config';

/** Everything this service reads from its environment. */
export const environment = {
  ...commonEnvironment,
  ...egressEnvironment,
  ...deliveryEnvironment,
  CAMPAIGN_RETRY_SCHEDULE: optional(scheduleMs()).describe('Overrides `RETRY_SCHEDULE` for campaign events'),
  OPS_PORT: port(3102).describe('Port of health, readiness and metrics'),
};

export type Config = ReturnType<typeof loadConfig>;

/** Throws ConfigError, which lists every bad variable at once. */
export const loadConfig = (env: NodeJS.ProcessEnv = process.env) => ({
  ...readConfig(environment, env),
  readAgain: { redisUrl: redisUrlReader(env) },
});
