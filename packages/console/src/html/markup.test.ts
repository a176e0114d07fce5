import { html } from './markup.ts';

describe('html', () => {
  it('escapes everything except its own output, between tags and in attributes', () => {
    const evil = `"><script>alert('1')</script>&`;
    expect(html`<p title="${evil}">${evil}</p>`.toString()).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</p>',
    );
  });

  it('accepts its own output, lists, numbers and empty values', () => {
    const list = ['<a>', html`<b></b>`].map((one) => html`<li>${one}</li>`);
    expect(
      html`<ul>
          ${list}
        </ul>
        ${0}${undefined}${false}`.toString(),
    ).toBe('<ul><li>&lt;a&gt;</li><li><b></b></li></ul>0');
  });

  it('leaves out the indentation of its source, and keeps the spaces that somebody sees', () => {
    const page = html`<div id="${'a'}" data-part>${undefined}</div>`;
    expect(page.toString()).toBe('<div id="a" data-part></div>');
    const line = html`<p>
      <b>a</b>
      <a href="${'b'}">c</a>
    </p>`;
    expect(line.toString()).toBe('<p><b>a</b> <a href="b">c</a></p>');
    const code = html`<pre>
 a
  b</pre>`;
    expect(code.toString()).toContain(' a\n  b');
  });

  it('does not mistake similar objects for its own output', () => {
    const forged = { toString: () => '<script>' };
    expect(html`${forged as never}`.toString()).not.toContain('<script>');
  });
});
