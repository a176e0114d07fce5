import { commonEnvironment } from './environments.ts';

/** What a process needs before its configuration is read; never throws. */
export interface ProcessEnvironment {
  readonly logLevel: string;
  /** A supervisor started this process and wants it to end with itself. */
  readonly isSupervised: boolean;
}

export function readProcessEnvironment(env: NodeJS.ProcessEnv = process.env): ProcessEnvironment {
  const level = commonEnvironment.LOG_LEVEL.safeParse(env['LOG_LEVEL'] === '' ? undefined : env['LOG_LEVEL']);
  return { logLevel: level.success ? level.data : 'info', isSupervised: (env['MAILHOOK_SUPERVISED'] ?? '') !== '' };
}
