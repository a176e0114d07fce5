import { read } from './deployed.suite.ts';

/** Licences that let everybody run, change and pass on what Mailhook ships. */
const ALLOWED = [
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'CC0-1.0',
  'BlueOak-1.0.0',
  // Of fonts.
  'OFL-1.1',
];

interface Locked {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly license?: string;
}

test('every dependency that is shipped has a licence of the list', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const shipped = Object.entries(packages).filter(
    ([folder, { dev, link }]) => folder.includes('node_modules/') && dev !== true && link !== true,
  );
  expect(shipped.length).toBeGreaterThan(100);
  const others = shipped.filter(([, { license = '' }]) => !ALLOWED.includes(license));
  expect(others.map(([folder, { license }]) => `${folder}: ${license ?? '(none)'}`)).toEqual([]);
});
