export { createDoctor, LocalFaultError } from './doctor.ts';
export type { Doctor } from './doctor.ts';
export { PROBES_MAX } from './probes.ts';
export { ONE_OF_EACH, sampleBatch } from './samples.ts';
