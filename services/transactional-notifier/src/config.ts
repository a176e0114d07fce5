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
  TRANSACTIONAL_RETRY_SCHEDULE: optional(scheduleMs()).describe('Overrides `RETRY_SCHEDULE` for transactional events'),
  OPS_PORT: port(3101).describe('Port of health, readiness and metrics'),
};

export type Config = ReturnType<typeof loadConfig>;

/** Throws ConfigError, which lists every bad variable at once. */
export const loadConfig = (env: NodeJS.ProcessEnv = process.env) => ({
  ...readConfig(environment, env),
  readAgain: { redisUrl: redisUrlReader(env) },
});
