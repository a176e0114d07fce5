import { Writable } from 'node:stream';
import fc from 'fast-check';
import { createLogger } from './logger.ts';
import { maskText } from './mask.ts';

describe('maskText', () => {
  test.each([
    ['anna.smith@example.com', 'a***@example.com'],
    ['to anna@example.com, Bob <bob@x.org>; c@d', 'to a***@example.com, Bob <b***@x.org>; c***@d'],
    ['mailto:anna@example.com', 'mailto:a***@example.com'],
    ['https://shop.example.com/?email=anna%40example.com&x=1', 'https:/***%40example.com&x=1'],
    ['anna%2540example.com', 'a***%2540example.com'],
    ['anna%252540example.com', 'a***%252540example.com'],
    ['to anna&#64;example.com', 'to a***&#64;example.com'],
    ['anna&#x40;example.com, bob&#064;example.com', 'a***&#x40;example.com, b***&#064;example.com'],
    ['anna&amp;#64;example.com', 'a***&amp;#64;example.com'],
    ['anna&commat;example.com', 'a***&commat;example.com'],
    ['anna\\u0040example.com', 'a***\\u0040example.com'],
    ['john/smith?a&b{c}|d`e@example.com', 'j***@example.com'],
    ['anna/@example.com', 'a***@example.com'],
    ['bounce+anna=example.com@sender.org', 'b***@sender.org'],
    ["o'neil@example.com", 'o***@example.com'],
    ["'anna@example.com'", "'a***@example.com'"],
    ['"anna smith"@example.com', '"a***@example.com'],
    ['ännä@bücher.example', 'ä***@bücher.example'],
    ['🙂🙂@example.com', '🙂***@example.com'],
    ['a@b@c.com', 'a***@b***@c.com'],
    ['anna%40@example.com', 'a***%40@example.com'],
    ['redis://:password@host', 'redis://:p***@host'],
    ['{"a":1,"metadata":{"x":"}","y":"\\"{"},"b":2}', '{"a":1,"metadata":"***","b":2}'],
    ['"data" : {"a":[{"b":{}}]} and "tags":["x]"],"label":"l"', '"data" : "***" and "tags":"***","label":"l"'],
    ['"metadata":{"name":"Anna Smi', '"metadata":"***"'],
    ['"metadata":{"tags":["Anna"]}', '"metadata":"***"'],
    ['"data":"text","tags":5', '"data":"text","tags":5'],
  ])('%s', (text, masked) => expect(maskText(text)).toBe(masked));

  test.each(['', 'no address', '@', 'a@ b', '@mailhook/core', 'node_modules/@types/node', '5 @ 3'])(
    '%j contains no address',
    (text) => {
      expect(maskText(text)).toBe(text);
    },
  );

  test('property: keeps at most the first character of a local part', () => {
    // No stars, which the mask itself consists of. Signs alone have nothing before them to mask.
    const local = fc.stringMatching(/^[a-zA-Z0-9.!#$%+=^_~/?&{}|`-]{2,40}$/).filter((name) => !/^(%40)+$/.test(name));
    const around = fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[@"]|%40/g, ''));
    fc.assert(
      fc.property(around, local, around, (before, name, after) => {
        expect(maskText(`${before} ${name}@example.com ${after}`)).not.toContain(`${name}@`);
      }),
    );
  });

  // Time in proportion to the square of the length would be many minutes, which exceeds the limit of the test.
  test.each([
    'a'.repeat(1_000_000),
    'a@'.repeat(300_000),
    '"data":{'.repeat(150_000),
    '"@'.repeat(300_000),
    `${'a'.repeat(1_000_000)}@`,
  ])('takes time in proportion to the length of the text (%#)', (text) => {
    expect(maskText(text).length).toBeGreaterThan(0);
  });
});

describe('createLogger', () => {
  const logged = (log: (logger: ReturnType<typeof createLogger>) => void, pretty = false, level = 'info'): string => {
    let text = '';
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString();
        done();
      },
    });
    log(createLogger({ level, service: 'api', pretty, stream }));
    return text;
  };

  test('leaves out an error that differs from ten others only in the id of its request', () => {
    const lines = logged((logger) => {
      for (let i = 0; i < 50; i += 1)
        logger.error('request failed', { requestId: `request-${i}`, code: 'unavailable' });
      logger.error('request failed', { requestId: 'request-50', code: 'internal_error' });
    });
    expect(lines.trim().split('\n')).toHaveLength(11);
    expect(lines).toContain('"requestId":"request-9"');
  });

  test('writes one JSON line with time, level, message, service and fields', () => {
    const line = logged((logger) => logger.info('delivered', { events: 3 }));
    expect(line.endsWith('\n')).toBe(true);
    expect(JSON.parse(line)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      level: 'info',
      message: 'delivered',
      service: 'api',
      events: 3,
    });
  });

  test('masks addresses in texts, fields, errors and causes', () => {
    const cause = Object.assign(new TypeError('about cause@example.com'), { code: 'E1' });
    const line = logged((logger) =>
      logger.error('to anna@example.com', {
        list: ['bob@example.com'],
        deep: { email: 'eve@example.com' },
        error: new Error('for dan@example.com', { cause }),
      }),
    );
    expect(line).not.toMatch(/(anna|bob|eve|dan|cause)@/);
    expect(JSON.parse(line)).toMatchObject({
      message: 'to a***@example.com',
      error: {
        name: 'Error',
        message: 'for d***@example.com',
        stack: expect.any(String) as string,
        cause: { name: 'TypeError', code: 'E1' },
      },
    });
  });

  test.each([
    [{ ip: '203.0.113.9', userAgent: 'Mozilla', url: 'https://x/?token=abc', email: 'Anna' }],
    [{ list: [{ deep: { ip: '203.0.113.9' } }] }],
    [{ error: new Error('in {"url":"https://x/?token=abc\\"","ip":"203.0.113.9","reason":"Anna is unknown"') }],
  ])('shows no IP address, user agent, link or reason of an event: %j', (fields) => {
    expect(logged((logger) => logger.info('an event', fields))).not.toMatch(/203\.|Mozilla|token|Anna/);
  });

  test('reports fields that cannot be serialized, and does not throw', () => {
    const circle: { self?: object; big: bigint } = { big: 5n };
    circle.self = circle;
    expect(logged((logger) => logger.info('x', { circle }))).toContain('could not be serialised');
    expect(JSON.parse(logged((logger) => logger.info('x', { big: 5n })))).toMatchObject({ big: '5' });
  });

  test('writes readable lines on a terminal, and none below its level', () => {
    expect(logged((logger) => logger.info('hello anna@example.com', { a: 1 }), true)).toMatch(
      /^[\d:.]{12} info {2}api: hello a\*\*\*@example.com \{"a":1\}\n$/,
    );
    expect(logged((logger) => logger.info('hello'), true)).toMatch(/api: hello\n$/);
    expect(logged((logger) => logger.info('a\u001b[2J', { label: '\u009b1m\u202e' }), true)).toContain(
      String.raw`a\x1b[2J {"label":"\x9b1m\u{202e}"}`,
    );
    expect(logged((logger) => logger.debug('hello'))).toBe('');
    expect(logged((logger) => logger.debug('hello'), false, 'debug')).not.toBe('');
  });
});
