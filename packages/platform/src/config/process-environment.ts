import { commonEnvironment } from './environments.ts';

/** The settings that a process needs before it reads its configuration. */
export interface ProcessEnvironment {
  readonly logLevel: string;
  /** Whether a supervisor started this process. The process must then end when the supervisor ends. */
  readonly isSupervised: boolean;
}

export function readProcessEnvironment(env: NodeJS.ProcessEnv = process.env): ProcessEnvironment {
  const level = commonEnvironment.LOG_LEVEL.safeParse(env['LOG_LEVEL'] === '' ? undefined : env['LOG_LEVEL']);
  return { logLevel: level.success ? level.data : 'info', isSupervised: (env['MAILHOOK_SUPERVISED'] ?? '') !== '' };
}
