import fc from 'fast-check';
import { describeBody, quote, readBody } from './reply-body.ts';

const describeText = (body: string): string => String(describeBody(readBody(body)));
const JSON_TEXT = '[{"hash":"aaaaaaaaaa","status":true}]';

describe('describeBody', () => {
  it.each([
    ['[]', 'it is a JSON array'],
    ['{"a":1}', 'it is a JSON object'],
    ['null', 'it is a single JSON value'],
    ['', 'its body is empty'],
    ['hello', 'it is not JSON'],
    ['[{"hash": "a"', 'its JSON is incomplete or invalid'],
    [`${JSON_TEXT}<br>`, 'its JSON is incomplete or invalid'],
    [`debug: connected\n${JSON_TEXT}`, 'other text comes before the JSON'],
    [
      '<br />\n<b>Warning</b>:  Undefined array key &quot;ip&quot; in <b>/srv/hook.php</b> on line <b>3</b><br ' +
        `/>\n${JSON_TEXT}\n`,
      `PHP printed “Warning: Undefined array key "ip" in /srv/hook.php on line 3” before the JSON`,
    ],
    [
      `\nNotice: Undefined index: ip in /srv/hook.php on line 3\n${JSON_TEXT}`,
      'PHP printed “Notice: Undefined index: ip in /srv/hook.php on line 3” before the JSON',
    ],
    [
      'PHP Fatal error:  Uncaught Error: Call to undefined function foo() in /srv/hook.php:3\nStack trace:\n#0 ' +
        '{main}\n  thrown in /srv/hook.php on line 3',
      'PHP printed “PHP Fatal error: Uncaught Error: Call to undefined function foo() in /srv/hook.php:3 Stack ' +
        'trace: #0 {main} thrown in /srv/hook.php on line 3” instead of it',
    ],
    [
      `<font size='1'><table class='xdebug-error' dir='ltr'><tr><th colspan="5"><span>( ! )</span> Deprecated: Old ` +
        `in /srv/hook.php on line <i>3</i></th></tr></table></font>${JSON_TEXT}`,
      'PHP printed “( ! ) Deprecated: Old in /srv/hook.php on line 3” before the JSON',
    ],
    [
      '<!DOCTYPE html>\n<html><head><title>Log in — Shop</title><style>a{}</style></head></html>',
      'it is HTML or XML: “Log in — Shop”',
    ],
    ['<html><body><h1>It works!</h1></body></html>', 'it is HTML or XML: “It works!”'],
    [`<!-- debug --><p>hello</p>${JSON_TEXT}`, 'HTML or XML comes before the JSON: “hello”'],
    [`<br/>${JSON_TEXT}`, 'HTML or XML comes before the JSON'],
    ['Warning: the disk is full', 'it is not JSON'],
  ])('%j', (body, description) => {
    expect(describeText(body)).toBe(description);
  });

  it.each([
    ['angle brackets', '<'.repeat(1_048_576)],
    ['open titles', '<title'.repeat(170_000)],
    ['PHP messages without an end', 'Warning: '.repeat(110_000)],
    ['spaces before a bracket', `x${' '.repeat(1_000_000)}]x`],
    ['one word', `<p>${'x'.repeat(1_000_000)}`],
    ['brackets', '['.repeat(1_048_576)],
    ['nested arrays', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
    ['nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('describes a hostile body of a megabyte in a short text: %s', (_what, body) => {
    expect(describeText(body).length).toBeLessThan(300);
  });

  it('property: never throws, is short, and quotes no control characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 3000 }),
        fc.constantFrom('', '<', '<title>', '['),
        (text, start) => {
          const description = describeText(start + text);
          expect(description.length).toBeLessThan(300);
          expect(description).not.toMatch(/\p{C}/u);
        },
      ),
    );
  });
});

describe('quote', () => {
  it('cuts between words, so that no half of an email address is left', () => {
    expect(quote(`${'word '.repeat(19)}anna.smith@example.com`)).toBe(`“${'word '.repeat(18)}word …”`);
    expect(quote('x'.repeat(101))).toBe('…');
    expect(quote('x'.repeat(100))).toBe(`“${'x'.repeat(100)}”`);
  });

  it('leaves no quotation mark of the text that could end the quotation', () => {
    expect(quote('a”b“c')).toBe('“a b c”');
  });
});
