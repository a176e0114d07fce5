export { isRedisUrl, placeOfRedisUrl, REDIS_URL_FORMS } from './address.ts';
export { closeRedis, connectRedis, createReconnectWait, duplicateRedis, onEveryMaster, whenReady } from './connect.ts';
export type { Redis } from './connect.ts';
export { combineMasters, readMasters, readSkewMs, readTimeMs } from './facts.ts';
export * from './gauges.ts';
export * from './memory.ts';
export { checkRedisRights } from './rights.ts';
export { readFunctionTimes } from './function-times.ts';
export { rewriteAfterEachStart } from './rewrite.ts';
export { readRunIds } from './run-ids.ts';
export {
  assertRedisVersion,
  checkRedisSettings,
  isDiskRefusal,
  logRedisSettings,
  readRedisSettings,
  readSetting,
} from './settings.ts';
export { subscribe } from './subscribe.ts';
export type { Subscription } from './subscribe.ts';
export { UnusableRedisError } from './unusable.ts';
export { judgeSetting, settingCommand, WANTED_SETTINGS } from './wanted-settings.ts';
export type { RedisSettings } from './wanted-settings.ts';
export { watchConnections } from './watch.ts';
export type { ConnectionWatch } from './watch.ts';
export { claimKey, withLock } from './with-lock.ts';
