const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' }, sourceMaps: 'inline' },
  ],
};
const IGNORED = ['/node_modules/', '/dist/'];
const project = (displayName, testMatch, more = {}) => ({
  displayName,
  testMatch,
  transform,
  runtime: '<rootDir>/scripts/checks/jest-runtime.cjs',
  testEnvironment: '<rootDir>/scripts/checks/jest-environment.cjs',
  testPathIgnorePatterns: IGNORED,
  modulePathIgnorePatterns: ['/dist/'],
  setupFilesAfterEnv: ['<rootDir>/scripts/checks/jest-expect.cjs'],
  ...more,
});
/** They take longest, so only the nightly run has them, and `FAULTS=long npm test`. */
const nightly = process.env.FAULTS === 'long' ? [] : ['/test/faults/nightly/'];
export default {
  reporters: ['default', '<rootDir>/scripts/checks/jest-reporter.cjs'],
  testSequencer: '<rootDir>/scripts/checks/jest-sequencer.cjs',
  projects: [
    project('core', ['<rootDir>/packages/core/{src,verification}/**/*.test.ts']),
    project('unit', [
      '<rootDir>/packages/{platform,event-log,doctor,producer,testing}/src/**/*.test.ts',
      '<rootDir>/{scripts,bench}/**/*.test.ts',
    ]),
    project('integration', [
      '<rootDir>/packages/{delivery,insight,console}/src/**/*.test.ts',
      '<rootDir>/services/*/src/**/*.test.ts',
      '<rootDir>/test/engine/**/*.test.ts',
    ]),
    project('end-to-end', ['<rootDir>/test/{end-to-end,faults}/**/*.test.ts'], {
      testPathIgnorePatterns: [...IGNORED, ...nightly],
    }),
    project('browser', ['<rootDir>/test/browser/**/*.test.ts']),
  ],
  coverageProvider: 'babel',
  testTimeout: 30000,
};
