/** Compiled modules that are private to their packages. The baselines import them by path, which no compiler checks. */
export const PRIVATE_MODULES = [
  'packages/delivery/dist/publish/chunk.js',
  'services/api/dist/intake/events-route.js',
  'services/api/dist/intake/intake-metrics.js',
  'services/api/dist/composition/listener.js',
  'services/api/dist/auth/authenticate.js',
  'services/api/dist/http/request-observer.js',
] as const;
