import { attemptReplyOf } from './received-reply.ts';

const of = (body: string | Buffer, headers: Record<string, string | string[]> = {}, isWhole = true) =>
  attemptReplyOf({ status: 500, headers, body: Buffer.from(body), isWhole });

describe('the part of a reply that the attempt log keeps', () => {
  test.each<[string, string | Buffer, string]>([
    ['plain text', 'Notice: line 1\r\n\tä 😀', 'Notice: line 1\n\tä 😀'],
    ['HTML, which pages escape', '<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['terminal control sequences', '\x1b[31mred\x07\x00\x7f\x9b', '\\x1b[31mred\\x07\\x00\\x7f\\x9b'],
    ['a lone carriage return', 'safe\revil', 'safe\\x0devil'],
    ['a changed writing direction', 'a\u202egpj.exe\u2028b', 'a\\u{202e}gpj.exe\\u{2028}b'],
    ['a byte order mark', '\uFEFF[]', '\\u{feff}[]'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x62]), 'a\uFFFD\uFFFDb'],
    ['a character that the receiver did not finish', Buffer.from([0x61, 0xc3]), 'a\uFFFD'],
  ])('%s', (_what, body, expected) => {
    expect(of(body)).toMatchObject({ body: expected, isBodyWhole: true });
  });

  test('never ends inside a character', () => {
    const bytes = Buffer.from('a😀b');
    expect([1, 2, 3, 4, 5, 6].map((length) => of(bytes.subarray(0, length), {}, false).body)).toEqual([
      'a',
      'a',
      'a',
      'a',
      'a😀',
      'a😀b',
    ]);
  });

  test('takes little room, however binary the body is', () => {
    const controls = of(Buffer.alloc(4096, 0x1b));
    expect(controls).toMatchObject({ body: '\\x1b'.repeat(1024), isBodyWhole: false });
    expect(Buffer.byteLength(of(Buffer.alloc(4096, 0xff)).body)).toBeLessThanOrEqual(4096);
    expect(of(Buffer.alloc(200, 0))).toMatchObject({ body: '\\x00'.repeat(200), isBodyWhole: true });
    expect(of('ä'.repeat(2048))).toMatchObject({ body: 'ä'.repeat(2048), isBodyWhole: true });
  });

  test('has a few headers, each cut and printable', () => {
    const { headers } = of('', {
      'content-type': 'text/html\x1b',
      location: `https://example.com/${'x'.repeat(8000)}`,
      server: ['a', 'b'],
      'set-cookie': ['secret'],
      'x-other': '1',
    });
    expect(headers).toEqual({
      'content-type': 'text/html?',
      location: `https://example.com/${'x'.repeat(180)}`,
      server: 'a, b',
    });
  });

  test('has no compressed body', () => {
    const packed = of('packed', { 'content-encoding': 'GZIP' });
    expect(packed).toMatchObject({ headers: { 'content-encoding': 'GZIP' }, body: '', isBodyWhole: false });
    expect(of('plain', { 'content-encoding': 'identity' })).toMatchObject({ body: 'plain' });
    expect(of('plain', { 'content-encoding': 'UTF-8' })).toMatchObject({ body: 'plain' });
    expect(of('packed', { 'content-encoding': 'identity, x-gzip' })).toMatchObject({ body: '', isBodyWhole: false });
  });
});
