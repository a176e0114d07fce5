const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' }, sourceMaps: 'inline' },
  ],
  // An ES module only, which Node 20 cannot require.
  '/node_modules/marked/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }],
  '/node_modules/.+\\.c?js$': '<rootDir>/scripts/checks/jest-library.cjs',
};
const project = (displayName, testMatch, more = {}) => ({
  displayName,
  testMatch,
  transform,
  // Jest loads its own modules through the transformers too, before there is an environment.
  transformIgnorePatterns: ['/node_modules/(@?jest|@swc)'],
  testEnvironment: '<rootDir>/scripts/checks/jest-environment.cjs',
  extensionsToTreatAsEsm: [],
  testEnvironmentOptions: { customExportConditions: ['@mailhook/source', 'node', 'node-addons'] },
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  ...more,
});
export default {
  reporters: ['default', '<rootDir>/scripts/checks/jest-reporter.cjs'],
  testSequencer: '<rootDir>/scripts/checks/jest-sequencer.cjs',
  projects: [
    project('core', ['<rootDir>/packages/core/{src,verification}/**/*.test.ts']),
    project('unit', [
      '<rootDir>/packages/{platform,doctor,producer,testing}/src/**/*.test.ts',
      '<rootDir>/{scripts,bench}/**/*.test.ts',
    ]),
    project('integration', [
      '<rootDir>/packages/{delivery,insight,console}/src/**/*.test.ts',
      '<rootDir>/services/*/src/**/*.test.ts',
      '<rootDir>/test/engine/**/*.test.ts',
    ]),
    project('end-to-end', ['<rootDir>/test/{end-to-end,faults}/**/*.test.ts']),
    project('browser', ['<rootDir>/test/browser/**/*.test.ts']),
  ],
  coverageProvider: 'babel',
  testTimeout: 30000,
};
