export * from './builders.ts';
export * from './certificate.ts';
export * from './eventually.ts';
export * from './mongod.ts';
export * from './name-server.ts';
export * from './receiver.ts';
export * from './redis.ts';
export * from './redis-cluster.ts';
export { freePort, isFreePort } from './supervised-child.ts';
