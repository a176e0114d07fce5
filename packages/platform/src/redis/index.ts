export * from './connect.ts';
export * from './memory.ts';
export { checkRedisSettings } from './settings.ts';
