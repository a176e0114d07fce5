import { entersBuild, readInstructions } from './dockerfile.ts';

test('reads instructions over several lines, without comments', () => {
  expect(readInstructions('# text\nFROM a AS b\nRUN x \\\n    && y\n# more\nCMD ["z"]\n')).toEqual([
    { name: 'FROM', argument: 'a AS b' },
    { name: 'RUN', argument: 'x && y' },
    { name: 'CMD', argument: '["z"]' },
  ]);
});

test.each([
  ['package.json', true],
  ['README.md', false],
  ['packages/core/src/index.ts', true],
  ['packages/core/dist/index.js', false],
  ['packages/core/src/a.test.ts', false],
  ['services/api/.env', false],
  ['services/api/.env.local', false],
  ['.env', false],
])('%s enters the build: %s', (file, expected) => {
  const dockerignore = '# text\n*\n!package.json\n!packages\n!services\n**/dist\n**/*.test.ts\n**/.env*\n';
  expect(entersBuild(dockerignore, file)).toBe(expected);
});
