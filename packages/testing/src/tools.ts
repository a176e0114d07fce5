import { unlessImpossible } from './unless-impossible.ts';

/** Programs that tests run besides node and npm. `scripts/checks/tools.ts` says where each comes from. */
export type TestTool =
  | 'age'
  | 'cc'
  | 'chromium'
  | 'curl'
  | 'docker-compose'
  | 'git'
  | 'luacheck'
  | 'mongod'
  | 'openssl'
  | 'php'
  | 'pip'
  | 'prlimit'
  | 'python3'
  | 'redis-server';

/** The variable with the names of the tools that `npm test` could not bring, joined by commas. */
export const MISSING_TOOLS_VARIABLE = 'TEST_MISSING_TOOLS';

/** Why tests cannot run that use this tool. Undefined if `npm test` found or installed it. For `unlessImpossible`. */
export const missingTool = (tool: TestTool): string | undefined =>
  (process.env[MISSING_TOOLS_VARIABLE] ?? '').split(',').includes(tool) ? `${tool} is missing` : undefined;

/**
 * Returns `run` unchanged. If `npm test` could not bring the tool that the tests use, skips them with the reason in
 * each name.
 */
export const unlessMissing = <Run extends Parameters<typeof unlessImpossible>[0]>(
  run: Run,
  tool: TestTool | undefined,
): Run => (tool === undefined ? run : unlessImpossible(run, missingTool(tool)));
