import parser from '@typescript-eslint/parser';
import heldPromises from './scripts/checks/lint-held-promises.cjs';

// One rule, because oxlint gives its plugins no types. All others are in .oxlintrc.json.
export default [
  { ignores: ['**/dist/', '**/*.{js,mjs,cjs}', '**/*.test.ts', '**/*.suite.ts', 'packages/testing/'] },
  {
    files: ['{packages,services}/*/src/**/*.ts'],
    languageOptions: {
      parser,
      // Without the tests, which take a fifth of the CPU time, although the rule does not look at them.
      parserOptions: { project: './tsconfig.promises.json', tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
    plugins: { mailhook: { rules: { 'held-promises': heldPromises } } },
    rules: { 'mailhook/held-promises': 'error' },
  },
];
