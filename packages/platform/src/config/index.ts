export * from './environments.ts';
export * from './follow-redis-url.ts';
export * from './known-variables.ts';
export * from './process-environment.ts';
export * from './read-config.ts';
export * from './variable-types.ts';
export { watchFile } from './watch-file.ts';
