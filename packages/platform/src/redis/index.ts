export { parseClusterUrl } from './address.ts';
export * from './connect.ts';
export * from './gauges.ts';
export * from './memory.ts';
export { checkRedisSettings } from './settings.ts';
