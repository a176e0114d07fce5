import type { ServiceName, ServiceOptions, ServiceProcess } from '@mailhook/testing';
import { startServiceProcess } from '@mailhook/testing';
import { bundle, mainOf } from '../../../scripts/stack/bundles.ts';

/** Starts a service of this checkout as `npm start` does. */
export async function startService(
  name: ServiceName,
  env: ServiceOptions['env'],
  more: Pick<ServiceOptions, 'onLine' | 'onEndedItself' | 'openFilesMax'> = {},
): Promise<ServiceProcess> {
  const [program = ''] = await bundle([mainOf(name)]);
  return startServiceProcess({ name, program, env, ...more });
}
