export * from './bull-keys.ts';
export { JobEndsProcessError, JobTooLargeError } from './admit-job.ts';
export { JobGate } from './job-gate.ts';
export { MalformedJobError } from './malformed-job.ts';
export * from './opens-without-redis.ts';
export * from './watched-worker.ts';
export { withholdData } from './withheld-data.ts';
