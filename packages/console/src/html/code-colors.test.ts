import { coloredCode } from './code-colors.ts';

test.each([
  [
    'const a = "b"; // c',
    '<span class="code-key">const</span> a = <span class="code-text">&quot;b&quot;</span>; ' +
      '<span class="code-comment">// c</span>',
  ],
  ['curl https://a.example/#x # note', 'curl https://a.example/#x <span class="code-comment"># note</span>'],
  ['{"n": 12}', '{<span class="code-text">&quot;n&quot;</span>: <span class="code-value">12</span>}'],
])('%s is colored', (code, colored) => expect(coloredCode(code).toString()).toBe(colored));

test('a program is the same text with colors as without, and stays escaped', () => {
  const code = "if (a < 1) print('<b>') # it's\n";
  const text = coloredCode(code)
    .toString()
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'");
  expect(text).toBe(code);
});
