import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import heldPromises from './scripts/checks/lint-held-promises.cjs';

const browserGlobals = Object.fromEntries(
  [
    'document',
    'location',
    'history',
    'navigator',
    'fetch',
    'getSelection',
    'localStorage',
    'Option',
    'setTimeout',
    'setInterval',
    'DOMParser',
    'FormData',
    'IntersectionObserver',
    'matchMedia',
    'URLSearchParams',
    'confirm',
    'reportError',
  ].map((name) => [name, 'readonly']),
);

const literalSpreads = ['ObjectExpression', 'ArrayExpression'].map((literal) => ({
  selector: `SpreadElement[argument.type='${literal}']`,
  message: 'Write the properties or elements out instead of spreading a literal.',
}));

const otherSyntax = [
  { selector: 'ExportDefaultDeclaration', message: 'No default exports.' },
  { selector: 'TSEnumDeclaration', message: 'No enums: use a union of texts.' },
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'Only config.ts reads the environment.',
  },
];
const forbiddenSyntax = [...otherSyntax, ...literalSpreads];

const forbiddenKeys = ['MemberExpression[property.name=/^(base|shared)$/]', 'Property[key.name=/^(base|shared)$/]'].map(
  (selector) => ({ selector, message: 'Only mailbox/ builds keys of the engine: use the methods of EngineKeys.' }),
);

const forbiddenReads = [
  {
    selector: 'CallExpression[callee.property.name=/^(hget|hmget|hgetall)(Buffer)?$/]',
    message: 'Only mailbox/ reads fields of hashes: use records.ts, accounts.ts or workers.ts there.',
  },
];

/** The simulation (test/engine/simulation) replaces the clocks, timers and random values of these parts. */
const forbiddenClocks = [
  "MemberExpression[object.name='performance'][property.name='now']",
  "MemberExpression[object.name='Date'][property.name='now']",
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "MemberExpression[object.name='Math'][property.name='random']",
  'CallExpression[callee.name=/^(set|clear)(Timeout|Interval|Immediate)$/]',
  'ImportDeclaration[source.value=/^node:(crypto|timers)/]',
].map((selector) => ({ selector, message: 'Clocks, timers and random values come from the Runtime.' }));

/** They read hashes that are no records of mailboxes: jobs of BullMQ, and the delivery history. */
const readsJobs = 'packages/delivery/src/deliver/reconciler.ts';
const readsOtherHashes = [
  'packages/delivery/src/record/history.ts',
  'packages/delivery/src/record/trends.ts',
  'packages/insight/src/gauges.ts',
];

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', '.data/', '.cache/', 'coverage/', 'examples/', '**/*.mjs', '**/*.cjs'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.check.json', tsconfigRootDir: import.meta.dirname } },
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // A leading underscore names what is left out on purpose.
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      // There are no enums, and these two rules take a quarter of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...forbiddenSyntax],
      'max-lines': ['error', { max: 450, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true, IIFEs: true }],
      // Prettier wraps code, but neither comments nor texts.
      'max-len': [
        'error',
        {
          code: 120,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignoreUrls: true,
        },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: [
      'services/*/src/config.ts',
      'packages/platform/src/config/**',
      'scripts/**',
      'bench/**',
      'test/**',
      'packages/testing/**',
    ],
    rules: { 'no-restricted-syntax': ['error', ...literalSpreads] },
  },
  {
    files: ['packages/{delivery,insight}/src/**'],
    ignores: ['packages/delivery/src/mailbox/**', '**/*.test.ts', '**/*.suite.ts'],
    rules: { 'no-restricted-syntax': ['error', ...forbiddenSyntax, ...forbiddenKeys, ...forbiddenReads] },
  },
  { files: ['scripts/**', 'bench/**'], rules: { 'no-console': 'off' } },
  {
    files: ['{packages,services}/*/src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.suite.ts', 'packages/testing/**'],
    plugins: { mailhook: { rules: { 'held-promises': heldPromises } } },
    rules: { 'mailhook/held-promises': 'error' },
  },
  {
    files: ['**/*.test.ts', 'test/**', '**/*.suite.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 350 }],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // What browsers run: as it stands, without a build.
    files: ['packages/console/assets/**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { project: false }, globals: browserGlobals },
    rules: { 'max-lines-per-function': ['error', { max: 50 }] },
  },
  {
    files: ['packages/delivery/src/{deliver,publish}/**', 'packages/insight/src/**'],
    ignores: ['**/*.test.ts', '**/*.suite.ts'],
    rules: { 'no-restricted-syntax': ['error', ...otherSyntax, ...forbiddenKeys, ...forbiddenReads] },
  },
  {
    files: ['packages/delivery/src/deliver/**'],
    // BullMQ has clocks and timers of its own, and these are its jobs.
    ignores: ['**/*.test.ts', '**/*.suite.ts', '**/{jobs,runtime}.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...otherSyntax, ...forbiddenKeys, ...forbiddenReads, ...forbiddenClocks],
    },
  },
  { files: readsOtherHashes, rules: { 'no-restricted-syntax': ['error', ...otherSyntax, ...forbiddenKeys] } },
  {
    files: [readsJobs],
    rules: { 'no-restricted-syntax': ['error', ...otherSyntax, ...forbiddenKeys, ...forbiddenClocks] },
  },
);
