/**
 * Direction of the layers: core <- platform <- delivery <- doctor and insight <- services, platform <- console <-
 * services, and core <- event-log <- services.
 * Tests and scripts may use everything.
 */
const notTest = '\\.(test|suite)\\.ts$';

/** For each folder of the engine, the folders that it may use. No two folders use each other. */
const ENGINE = {
  mailbox: [],
  'receiver-client': [],
  record: ['mailbox', 'receiver-client'],
  publish: ['mailbox'],
  manage: ['mailbox', 'record'],
  deliver: ['mailbox', 'record', 'publish', 'receiver-client'],
  host: ['mailbox', 'record', 'receiver-client', 'deliver'],
};

/** The same for the pages. */
const CONSOLE = {
  html: [],
  guides: ['html'],
  messages: ['html'],
  page: ['html', 'messages'],
  settings: ['html', 'messages', 'page'],
  operations: ['html', 'guides', 'messages', 'page'],
  mails: ['html', 'messages', 'settings'],
};

/** The same for the api. */
const API = {
  'api-docs': ['endpoints'],
  http: [],
  store: [],
  accounts: [],
  auth: ['accounts'],
  audit: ['accounts', 'auth'],
  intake: ['accounts'],
  alerts: ['accounts', 'audit', 'auth', 'intake'],
  'event-log': [],
  'customer-api': ['accounts', 'alerts', 'auth', 'event-log'],
  operations: ['accounts', 'auth'],
  endpoints: ['accounts', 'audit', 'auth', 'customer-api', 'operations'],
  'operations-webhook': [],
};

/** Files that put parts together. `config.ts` beside them may be used by every folder. */
const COMPOSITION = '(index|main|compose|app)\\.ts$';

const rooms = (root, allowed) =>
  Object.entries(allowed).map(([folder, others]) => ({
    name: `${folder}-uses-${others.length === 0 ? 'no-other-folder' : others.join('-and-')}`,
    severity: 'error',
    from: { path: `^${root}/${folder}/`, pathNot: notTest },
    to: {
      path: [`^${root}/.+/`, `^${root}/${COMPOSITION}`],
      pathNot: [folder, ...others].map((other) => `^${root}/${other}/`),
    },
  }));

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...rooms('packages/delivery/src', ENGINE),
    ...rooms('packages/console/src', CONSOLE),
    ...rooms('services/api/src', API),
    {
      name: 'operations-webhook-is-a-feature',
      comment: 'Nothing but the composition root knows it, so it can be left out.',
      severity: 'error',
      from: { path: '^services/api/src/', pathNot: ['^services/api/src/(operations-webhook/|compose\\.ts$)', notTest] },
      to: { path: '^services/api/src/operations-webhook/' },
    },
    {
      name: 'only-listed-packages',
      comment: "A package lists what it uses. Tests may use the repository's own list.",
      severity: 'error',
      from: { path: '^(packages|services)/', pathNot: notTest },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    },
    {
      name: 'no-package-of-development',
      comment: 'Images install no packages of development, and `npm ci --omit=dev && npm start` works.',
      severity: 'error',
      from: {
        path: '^(packages|services|scripts/([\\w-]+\\.ts|(stack|demo|receiver|send|doctor|preflight|mailbox)/))',
        pathNot: notTest,
      },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'core-is-pure',
      comment: 'core knows zod and itself: no IO, no node:*, no other package.',
      severity: 'error',
      from: { path: '^packages/core/src', pathNot: notTest },
      to: { pathNot: '^packages/core/src|node_modules/zod/' },
    },
    {
      name: 'platform-knows-core-only',
      severity: 'error',
      from: { path: '^packages/platform/src', pathNot: notTest },
      to: { path: '^(packages/(delivery|doctor|event-log|insight|console|testing|producer)|services)/' },
    },
    {
      name: 'delivery-knows-no-service',
      severity: 'error',
      from: { path: '^packages/delivery/src', pathNot: notTest },
      to: { path: '^(packages/(doctor|event-log|insight|console|testing|producer)|services)/' },
    },
    {
      name: 'doctor-knows-no-service',
      severity: 'error',
      from: { path: '^packages/doctor/src', pathNot: notTest },
      to: { path: '^(packages/(event-log|insight|console|testing|producer)|services)/' },
    },
    {
      name: 'insight-knows-no-service',
      severity: 'error',
      from: { path: '^packages/insight/src', pathNot: notTest },
      to: { path: '^(packages/(doctor|event-log|console|testing|producer)|services)/' },
    },
    {
      name: 'event-log-knows-core-only',
      comment: 'It reads and writes objects, and knows neither Redis nor HTTP.',
      severity: 'error',
      from: { path: '^packages/event-log/src', pathNot: notTest },
      to: { path: '^(packages/(platform|delivery|doctor|insight|console|testing|producer)|services)/' },
    },
    {
      name: 'insight-alone-reads-the-mailbox',
      comment: 'The second door of the engine has the typed readers of what it stores.',
      severity: 'error',
      from: { path: '^(packages|services)/', pathNot: [notTest, '^packages/(delivery|insight)/'] },
      to: { path: '^packages/delivery/src/mailbox/index\\.ts$' },
    },
    {
      name: 'console-knows-no-engine',
      comment: 'The pages call the services of core/ports that their host passes in.',
      severity: 'error',
      from: { path: '^packages/console/src', pathNot: notTest },
      to: { path: '^(packages/(delivery|doctor|event-log|insight|testing|producer)|services)/' },
    },
    {
      name: 'producer-knows-core-only',
      severity: 'error',
      from: { path: '^packages/producer/src', pathNot: notTest },
      to: { path: '^(packages/(platform|delivery|doctor|event-log|insight|console|testing)|services)/' },
    },
    {
      name: 'services-are-strangers',
      severity: 'error',
      from: { path: '^services/([^/]+)/src' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: '^(packages|services)/', pathNot: [notTest, '^packages/testing/'] },
      to: { path: '^packages/testing/' },
    },
    {
      name: 'one-door-a-package',
      comment: 'No deep imports: what is not exported is private.',
      severity: 'error',
      from: { path: '^(packages|services)/([^/]+)/' },
      to: { path: '^packages/', pathNot: ['^packages/$2/', '^packages/[^/]+/src/(index|[^/]+/index)\\.ts$'] },
    },
    {
      name: 'opentelemetry-behind-one-file',
      comment: 'Whoever sets no endpoint does not even load it.',
      severity: 'error',
      from: { path: '^(packages|services)/', pathNot: '^packages/platform/src/tracing/open-telemetry\\.ts$' },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'opentelemetry-on-demand',
      severity: 'error',
      from: {},
      to: { path: '^packages/platform/src/tracing/open-telemetry\\.ts$', dynamic: false },
    },
    {
      name: 'aws-sdk-on-demand',
      comment: 'Only an event log in a bucket loads it.',
      severity: 'error',
      from: {},
      to: { path: 'node_modules/@aws-sdk/', dynamic: false },
    },
    {
      name: 'no-dead-files',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '\\.d\\.ts$',
          notTest,
          'main\\.ts$',
          '\\.config\\.',
          '/(?:jest|lint)-[a-z-]+\\.[cm]js$',
          '^packages/console/assets/',
        ],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['@mailhook/source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};
