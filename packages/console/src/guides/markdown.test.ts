import { headingId, headingsOf, renderMarkdown, titleOf } from './markdown.ts';

const linkTo = (target: string): string | undefined => (target.startsWith('https:') ? target : undefined);
const rendered = (text: string): string => renderMarkdown(text, linkTo).toString();

test('raw HTML, comments and images are left out, and text is escaped', () => {
  const html = rendered(
    '# A <b>"title"</b>\n\n<script>alert(1)</script>\n\n<!-- note -->\n\na < b & `<c>` <i onclick="x()">d</i> ' +
      '![e](f.png)\n\n```html\n<g>\n```\n',
  );
  expect(html).not.toMatch(/<script|<!--|<i |<b>|<img/);
  expect(html).toContain('a &lt; b &amp; <code>&lt;c&gt;</code> d');
  expect(html).toContain('<pre><code id="code-1">&lt;g&gt;</code></pre>');
});

test('a link to a target that is not served becomes text, also a script', () => {
  expect(rendered('[one](https://example.com/?a=1&b=2) [two](../x.md) [three](javascript:alert(1))')).toBe(
    '<p><a href="https://example.com/?a=1&amp;b=2">one</a> two (<code>x.md</code> of the repository) three ' +
      '(<code>javascript:alert(1)</code> of the repository)</p>\n',
  );
});

test('headings have the ids of GitHub, and tables scroll', () => {
  expect(headingId('410: no `more` of it')).toBe('410-no-more-of-it');
  const text = '# Title\n\n## A b\n\n| c | d |\n| - | - |\n| `e` | f |\n';
  expect(titleOf(text)).toBe('Title');
  const html = rendered(text);
  expect(html).toContain('<h2 id="a-b">A b</h2>');
  expect(html).toContain('<th scope="col">c</th>');
  expect(html).toContain('<td data-name="c"><code>e</code></td>');
});

test('the same program in several languages is shown as tabs', () => {
  const headed = ['Node', 'Python'].map((name) => `### ${name}\n\n\`run ${name}\`\n\n\`\`\`sh\n${name}\n\`\`\`\n\n`);
  const text = `# A\n\n## B\n\n${headed.join('')}Both.\n\n\`\`\`js\nx\n\`\`\`\n\n<!-- y -->\n\n\`\`\`php\nz\n\`\`\`\n`;
  const html = rendered(text);
  expect([...html.matchAll(/<label for="[^"]+">(\w+)<\/label>/g)].map(([, name]) => name)).toEqual([
    'Node',
    'Python',
    'Node',
    'PHP',
  ]);
  expect(html).toContain('<p>Both.</p>');
  expect(headingsOf(text).map(({ id }) => id)).toEqual(['b']);
  expect(rendered('```js\nx\n```\n\nA text.\n\n```php\nz\n```\n')).not.toContain('tabs');
});
