import type { CommandRow } from './command-line.ts';
import { commandOfProgram } from './command-line.ts';
import { TOOLS } from './tools.ts';

const withAllPackages = (about: string, load: CommandRow['load']): CommandRow => ({
  about,
  load,
  needsAllPackages: true,
});

const forOperators = (about: string, load: CommandRow['load']): CommandRow => ({ about, load, isForOperators: true });

/** What `mailhook` can do in the repository. */
export const COMMANDS: Readonly<Record<string, CommandRow>> = {
  start: { about: 'runs Mailhook on this machine, with a demo', load: () => import('./stack/start.ts') },
  ...TOOLS,
  test: withAllPackages('everything a change must pass', () => import('./checks/test.ts')),
  build: withAllPackages('compiles all packages and checks their types', () =>
    Promise.resolve({ command: commandOfProgram('node_modules/@typescript/native/bin/tsc', '-b') }),
  ),
  mutants: withAllPackages('breaks each guarantee and expects a red test', () => import('./mutants/main.ts')),
  matrix: withAllPackages('runs the tests on other versions of Redis', () => import('./matrix/main.ts')),
  format: withAllPackages('formats code and documents', () =>
    Promise.resolve({ command: commandOfProgram('node_modules/oxfmt/bin/oxfmt', '--write', '.') }),
  ),
  docs: withAllPackages('writes the generated parts of the documentation', () => import('./docs/main.ts')),
  bench: withAllPackages('measures Mailhook against its baselines', () => import('../bench/bench.ts')),
  faults: forOperators('every known fault, under load', () => import('./soak/faults.ts')),
  soak: forOperators('long runs with a dead receiver or hanging receivers', () => import('./soak/main.ts')),
  screenshots: withAllPackages('takes the pictures for docs/images', () => import('./screenshots/main.ts')),
  dashboard: withAllPackages(
    'runs the queries of the dashboard in a real Prometheus',
    () => import('./monitoring/check-dashboard.ts'),
  ),
  manifests: withAllPackages('renders and checks k8s/', () => import('./deployment/manifests.ts')),
  images: forOperators('builds the images and tries them out', () => import('./deployment/images.ts')),
  release: forOperators('checks that the repository may be released', () => import('./release/main.ts')),
  producer: withAllPackages('makes the npm package @mailhook/producer', () => import('./producer/main.ts')),
};
