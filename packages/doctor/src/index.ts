export { createDoctor, LocalFaultError } from './doctor.ts';
export type { Doctor, DoctorDeps, ReceiverToCheck } from './doctor.ts';
export { PROBES_MAX } from './probes.ts';
export { sampleBatch } from './samples.ts';
