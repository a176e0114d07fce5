import path from 'node:path';

/** Of this file or of its compiled form. */
const ROOT = import.meta.dirname.replace(/bench\/(?:dist\/)?processes$/, '');

/** Compiled modules that are private to their packages. The baselines import them by path, which no compiler checks. */
export const PRIVATE_MODULES = [
  'packages/delivery/dist/publish/chunk.js',
  'services/api/dist/intake/events-route.js',
  'services/api/dist/intake/intake-metrics.js',
  'services/api/dist/composition/listener.js',
  'services/api/dist/auth/authenticate.js',
  'services/api/dist/http/request-observer.js',
  'services/api/dist/event-log/closer.js',
] as const;

/** All exports of these modules. */
export async function loadModules<Modules extends object>(): Promise<Modules> {
  const modules = await Promise.all(
    PRIVATE_MODULES.map(async (file) => (await import(path.join(ROOT, file))) as Partial<Modules>),
  );
  return Object.assign({}, ...modules) as Modules;
}
