import { takesSecureCookies } from './secure-cookies.ts';

test.each([
  ['http://hooks.example.com', false],
  ['http://localhost.example.com', false],
  ['http://10.0.0.1:3000', false],
  ['https://hooks.example.com', true],
  ['http://localhost:3000', true],
  ['http://hooks.localhost', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
])('%s takes secure cookies: %s', (url, isTaken) => {
  expect(takesSecureCookies(url)).toBe(isTaken);
});
