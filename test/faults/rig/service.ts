import type { ServiceName, ServiceOptions, ServiceProcess } from '@mailhook/testing';
import { startServiceProcess } from '@mailhook/testing';
import { bundleOf } from './bundle.ts';

/** Starts a service of this checkout: the api as `npm start` does, a worker from a bundle of the same compiled files. */
export function startService(
  name: ServiceName,
  env: ServiceOptions['env'],
  more: Pick<ServiceOptions, 'onLine' | 'onEndedItself' | 'openFilesMax'> = {},
): Promise<ServiceProcess> {
  const main = `services/${name}/dist/main.js`;
  // The api finds its assets relative to its own files, so it needs them in place.
  return startServiceProcess({ name, program: name === 'api' ? main : bundleOf(main), env, ...more });
}
