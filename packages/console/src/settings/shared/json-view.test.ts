import fc from 'fast-check';
import { html } from '../../html/markup.ts';
import { jsonLines } from './json-view.ts';

const textOf = (json: string): string =>
  html`${jsonLines(json)?.lines}`
    .toString()
    .replace(/<[^>]*>/g, '')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');

describe('the lines of a JSON text', () => {
  it('are those of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(textOf(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keep the digits of long numbers, and name keys, texts and other values by classes', () => {
    expect(html`${jsonLines('{"a":12345678901234567890,"b":"<i>"}')?.lines}`.toString()).toBe(
      '{\n  <span class="json-key">&quot;a&quot;</span>: <span class="json-value">12345678901234567890</span>,\n' +
        '  <span class="json-key">&quot;b&quot;</span>: <span class="json-text">&quot;&lt;i&gt;&quot;</span>\n}',
    );
  });

  it('end early if there are many, and are none of another text', () => {
    const found = jsonLines(JSON.stringify(Array.from({ length: 1000 }, (_, i) => i)));
    expect([found?.isCut, found?.lines.length]).toEqual([true, 400]);
    expect(jsonLines('{"a":')).toBeUndefined();
    expect(jsonLines('<h1>Fatal error</h1>')).toBeUndefined();
  });
});
