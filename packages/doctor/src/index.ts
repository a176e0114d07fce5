export { createDoctor } from './doctor.ts';
export type { Doctor, DoctorDeps, ReceiverToCheck } from './doctor.ts';
