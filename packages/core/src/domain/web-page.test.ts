import type { ReceiverExchange } from './outcome.ts';
import { webPageInDelivery, webPageFault } from './web-page.ts';

const reply = (body: string | undefined, contentType?: string, more: object = {}): ReceiverExchange => ({
  type: 'reply',
  status: 200,
  statusText: 'OK',
  retryAfter: undefined,
  body,
  contentType,
  ...more,
});

describe('webPageFault', () => {
  it.each([
    ['an index page', '<!DOCTYPE html><html><head><title>My shop</title>', 'text/html', ': “My shop”'],
    ['a page without a type', '\n <html><title>Sign in</title>', undefined, ': “Sign in”'],
    ['a page after a byte order mark', '\uFEFF<html><title>a</title>', undefined, ': “a”'],
    ['a script that sets a cookie', '<script src="/aes.js"></script>', 'text/html; charset=utf-8', ''],
    ['text before a page', 'Loading <b>your</b> shop', 'TEXT/HTML', ': “Loading your shop”'],
    ['a page that did not come in time', undefined, 'text/html', ''],
    ['XHTML', undefined, 'application/xhtml+xml', ''],
  ])('%s', (_what, body, contentType, title) => {
    expect(webPageFault(reply(body, contentType))).toEqual(`the reply is a web page${title}`);
  });

  it('names the header of a bot protection', () => {
    const challenged = { status: 202, challenge: 'sg-captcha' };
    expect(webPageFault(reply('<script src="/c.js"></script>', 'text/html', challenged))).toEqual(
      'the reply is a web page, and its header sg-captcha shows that a bot protection sent it',
    );
    expect(webPageFault(reply('<title>Robot Challenge</title>', 'text/html', challenged))).toEqual(
      'the reply is a web page: “Robot Challenge”, and its header sg-captcha shows that a bot protection sent it',
    );
    expect(webPageFault(reply('', undefined, challenged))).toEqual(
      'the reply has the header sg-captcha, which shows that a bot protection sent it',
    );
  });

  it.each<[string, ReceiverExchange]>([
    // Express and PHP call every text HTML.
    ['OK', reply('OK', 'text/html; charset=utf-8')],
    ['a comparison', reply('1 < 2, done', 'text/html')],
    ['JSON as HTML', reply('{"status":"ok","text":"<b>"}', 'text/html')],
    ['no body as HTML', reply('', 'text/html')],
    ['JSON', reply('[]', 'application/json')],
    ['nothing', reply('', undefined, { status: 204 })],
    ['a body that did not come in time', reply(undefined)],
    ['a failure', reply('<title>Not found</title>', 'text/html', { status: 404 })],
    ['no reply', { type: 'timeout' }],
  ])('%s is no web page', (_what, exchange) => {
    expect(webPageFault(exchange)).toBeUndefined();
  });
});

describe('webPageInDelivery', () => {
  it.each([
    ['a long page that was not read', 200, 'text/html', '256', '', 'the reply is a web page'],
    ['a short page without a length', 200, 'text/html', undefined, '<title>Log in</title>', 'web page: “Log in”'],
    ['a short text', 200, 'text/html', '2', 'OK', undefined],
    ['a long text', 200, 'text/html', '99', 'stored '.repeat(14), undefined],
    ['a short text that was not read', 200, 'text/html', '2', '', undefined],
    ['a page of unknown length that was not read', 200, 'text/html', undefined, '', undefined],
    ['JSON', 200, 'application/json', '999', '{}', undefined],
    ['a failure', 404, 'text/html', '999', '<title>', undefined],
  ])('%s', (_what, status, type, length, body, fault) => {
    const headers = { 'content-type': type, 'content-length': length };
    const found = webPageInDelivery({ status, headers, body: Buffer.from(body), isWhole: true });
    expect(String(found)).toContain(String(fault));
  });
});
