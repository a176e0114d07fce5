export { createDoctor, LocalFaultError } from './doctor.ts';
export type { Doctor } from './doctor.ts';
export { PROBES_MAX } from './probes.ts';
export { sampleBatch } from './samples.ts';
