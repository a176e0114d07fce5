import { isPlainLoopback } from './secure-cookies.ts';

test.each([
  [undefined, false],
  ['http://hooks.example.com', false],
  ['http://localhost.example.com', false],
  ['http://10.0.0.1:3000', false],
  ['https://hooks.example.com', false],
  ['https://localhost', false],
  ['http://localhost:3000', true],
  ['http://hooks.localhost', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
])('%s is plain http on this machine: %s', (url, isPlain) => {
  expect(isPlainLoopback(url)).toBe(isPlain);
});
