import fc from 'fast-check';
import { ADDRESS_MAX_CHARS, address, addressFault } from './address.ts';

describe('addressFault', () => {
  it.each([
    'http://example.com',
    'https://example.com/hooks?a=1&b=%C3%A9#top',
    'HTTPS://Example.COM:8443/../x',
    'http://127.0.0.1:4000/',
    'http://[::1]:4000/',
    'https://münchen.example/ü',
    'http://localhost',
    'http://example.com:65535/',
  ])('accepts %j', (text) => {
    expect(addressFault(text)).toBeUndefined();
  });

  it.each([
    ['', 'must be an absolute URL that starts with http:// or https://'],
    ['nowhere', 'must be an absolute URL that starts with http:// or https://'],
    ['//example.com/', 'must be an absolute URL that starts with http:// or https://'],
    ['/hook', 'must be an absolute URL that starts with http:// or https://'],
    ['ftp://127.0.0.1/', 'must be an absolute URL that starts with http:// or https://'],
    ['javascript:alert(1)', 'must be an absolute URL that starts with http:// or https://'],
    ['http:example.com', 'must be an absolute URL that starts with http:// or https://'],
    ['http:///path', 'must be an absolute URL that starts with http:// or https://'],
    ['http://', 'must be an absolute URL that starts with http:// or https://'],
    [' http://example.com', 'must be an absolute URL that starts with http:// or https://'],
    ['http://example.com/a b', 'must not contain spaces or control characters'],
    ['http://exam\tple.com/', 'must not contain spaces or control characters'],
    ['http://example.com/\n', 'must not contain spaces or control characters'],
    ['http://example.com/\u0000', 'must not contain spaces or control characters'],
    ['http://exa<mple.com/', 'is not a valid URL'],
    ['http://[::1/', 'is not a valid URL'],
    ['http://example.com:65536/', 'is not a valid URL'],
    ['http://user:secret@example.com/', 'must not contain a user name or password'],
    ['http://user@example.com/', 'must not contain a user name or password'],
    ['http://:secret@example.com/', 'must not contain a user name or password'],
    ['http://example.com:0/', 'must not use port 0'],
  ])('refuses %j: %s', (text, fault) => {
    expect(addressFault(text)).toBe(fault);
  });

  it.each([
    0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a,
    0x202e, 0x2060, 0x2064, 0x2066, 0x206f, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff0, 0xfff9, 0xfffe,
    0x1d173, 0xe0001, 0xe0061, 0xe007f, 0xe0100,
  ])('refuses a character that nobody sees wherever it is, and names it: %d', (code) => {
    const character = String.fromCodePoint(code);
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    for (const [before, after] of [
      ['', 'https://h.test/'],
      ['http', 's://h.test/'],
      ['https://h', '.test/'],
      ['https://h.test/hook', ''],
      ['https://h.test/?a=', '&b=%E2%80%8B'],
    ] as const)
      expect(addressFault(`${before}${character}${after}`)).toBe(
        `must not contain the invisible character ${name}: see position ${before.length}`,
      );
  });

  it.each([
    ['\ud83d', 'U+D83D'],
    ['\udc00', 'U+DC00'],
    ['\ude00\ud83d', 'U+DE00'],
    ['\ud800x', 'U+D800'],
  ])('refuses half a surrogate pair: %j', (half, name) => {
    expect(addressFault(`https://h.test/${half}`)).toBe(
      `must not contain half a surrogate pair, ${name}: see position 15`,
    );
  });

  it.each([
    'http://h.test/\u{1f600}',
    'http://h.test/e\u0301',
    'http://h.test/%E2%80%8B%C2%AD',
    'http://h.test/\ufffd',
  ])('accepts what one sees: %s', (text) => {
    expect(addressFault(text)).toBeUndefined();
  });

  it('accepts no text that the URL parser does not read as http or https', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((text) => `http://${text}`),
        ),
        (text) => {
          if (addressFault(text) !== undefined) return;
          const url = new URL(text);
          expect(['http:', 'https:']).toContain(url.protocol);
          expect(url.hostname).not.toBe('');
        },
      ),
    );
  });
});

describe('address', () => {
  const ofLength = (chars: number) => 'http://example.com/'.padEnd(chars, 'x');

  it('accepts an address of the maximum length and no longer one', () => {
    expect(address.parse(ofLength(ADDRESS_MAX_CHARS))).toHaveLength(2048);
    expect(address.safeParse(ofLength(ADDRESS_MAX_CHARS + 1)).error?.issues[0]?.message).toBe(
      'must be at most 2048 characters',
    );
  });

  it.each([
    ['http://h.test/q\\x', 'http://h.test/q/x'],
    ['http://h.test/q/a/../b', 'http://h.test/q/b'],
    ['http://h.test/q/%2e%2e/b', 'http://h.test/b'],
    ["http://h.test/?t='x'", 'http://h.test/?t=%27x%27'],
    ['http://h.test/h>', 'http://h.test/h%3E'],
    ['http://h.test/\u017c', 'http://h.test/%C5%BC'],
    ['HTTPS://Example.com:443/../a#part', 'https://example.com/a'],
    ['http://h.test?a=b', 'http://h.test/?a=b'],
    ['http://h.test/?', 'http://h.test/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://Ł.test#x', 'http://xn--tfa.test'],
  ])('saves %s as it is sent: %s', (typed, saved) => {
    expect(address.parse(typed)).toBe(saved);
    expect(address.parse(saved)).toBe(saved);
  });

  it.each([
    'http://127.0.0.1:4000/hook',
    'http://127.0.0.1:4000',
    'https://h.test./a%20b?x=%2F+y&z',
    'https://h.test',
    'http://[::1]:8080/',
  ])('does not change %s', (typed) => {
    expect(address.parse(typed)).toBe(typed);
  });

  it('property: a saved address leads to the same request, and saving it again changes nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string().map((text) => `http://h.test/${text}`),
        ),
        (typed) => {
          const parsed = address.safeParse(typed);
          if (!parsed.success) return;
          const [was, is] = [new URL(typed), new URL(parsed.data)];
          expect([is.origin, is.pathname, is.search]).toEqual([was.origin, was.pathname, was.search]);
          expect([address.parse(parsed.data), is.hash]).toEqual([parsed.data, '']);
        },
      ),
    );
  });

  it('is not longer than the limit as it is sent', () => {
    const long = `http://h.test/${'\u017c'.repeat(1000)}`;
    expect(address.safeParse(long).error?.issues[0]?.message).toBe('must be at most 2048 characters as it is sent');
  });

  it('refuses other schemes and says why', () => {
    expect(address.safeParse('ftp://example.com').error?.issues[0]?.message).toMatch(/http:\/\/ or https:\/\//);
  });

  it.each([5, null, undefined, {}])('refuses %j', (value) => {
    expect(address.safeParse(value).success).toBe(false);
  });
});
