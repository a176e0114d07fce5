import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileVariable } from '@mailhook/platform/config';
import { messageOf, UserError } from '../user-error.ts';
import { SERVICES } from './settings.ts';
import type { ServiceName, StackSettings } from './settings.ts';
import type { Fleet } from './fleet.ts';
import type { Program } from './supervise.ts';

export interface Databases {
  readonly redisUrl: string;
  readonly mongoUrl: string | undefined;
}

/** A service in a separate process. Its environment includes the settings that `npm start` chooses. */
export function serviceProgram(
  name: ServiceName,
  /** Its bundle. */
  file: string,
  settings: StackSettings,
  databases: Databases,
  env: NodeJS.ProcessEnv,
): Program {
  const isSet = (variable: string): boolean => (env[variable] ?? '') !== '';
  const unlessSet = (variable: string, value: string) => (isSet(variable) ? {} : { [variable]: value });
  // Services read secrets of the environment themselves, because they may be several, and may change in their files.
  const secret = (variable: string, value: string) => (isSet(fileVariable(variable)) ? {} : unlessSet(variable, value));
  return {
    name,
    command: process.execPath,
    args: [file],
    env: {
      ...env,
      ...unlessSet('NODE_ENV', 'production'),
      // `npm start` is meant for receivers on this machine.
      ...unlessSet('ALLOW_PRIVATE_DESTINATIONS', 'true'),
      ...unlessSet('PUBLIC_URL', settings.baseUrl),
      // Set and empty, nothing is kept.
      ...(env['EVENT_LOG'] === undefined ? { EVENT_LOG: path.join(settings.dataDir, 'event-log') } : {}),
      HOST: settings.host,
      OPS_HOST: settings.opsHost,
      PORT: String(settings.port),
      OPS_PORT: String(settings.opsPorts[name]),
      REDIS_URL: databases.redisUrl,
      ...(databases.mongoUrl === undefined ? {} : { MONGO_URL: databases.mongoUrl }),
      ...secret('ADMIN_TOKEN', settings.adminToken),
      ...secret('PRODUCER_TOKEN', settings.producerToken),
      ...(settings.secretsKey === undefined ? {} : secret('SECRETS_KEY', settings.secretsKey)),
      // Read already. Only one of the two may be set.
      [fileVariable('REDIS_URL')]: '',
      [fileVariable('MONGO_URL')]: '',
      MAILHOOK_SUPERVISED: '1',
    },
    hasChannel: true,
  };
}

const POLL_MS = 100;
const PROBE_TIMEOUT_MS = 3000;

interface ReadyDeps {
  readonly settings: StackSettings;
  readonly fleet: Pick<Fleet, 'hasStarted'>;
  readonly signal: AbortSignal;
}

/**
 * Resolves when all three services have started and their `/readyz` succeeds. It alone could be another program's.
 * @throws UserError with the reasons of those that are not ready in time
 */
export async function whenReady({ settings, fleet, signal }: ReadyDeps, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  await Promise.all(
    SERVICES.map(async (name) => {
      const probe = new URL('/readyz', settings.opsUrl);
      probe.port = String(settings.opsPorts[name]);
      for (;;) {
        const reason = fleet.hasStarted(name) ? await unreadiness(probe, signal) : 'it has not started';
        if (reason === undefined) return;
        if (Date.now() > end) throw new UserError(`${name} is not ready after ${withinMs / 1000} s: ${reason}`);
        await wait(POLL_MS, undefined, { signal });
      }
    }),
  );
}

/** Resolves with the reasons why a service is not ready, or undefined if it is. */
async function unreadiness(probe: URL, signal: AbortSignal): Promise<string | undefined> {
  try {
    const reply = await fetch(probe, { signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]) });
    const text = await reply.text();
    return reply.ok ? undefined : text.slice(0, 500);
  } catch (error) {
    return `${probe.href} does not answer (${messageOf(error)})`;
  }
}
