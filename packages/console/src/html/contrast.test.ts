import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brandStyles } from './brand.ts';
import { contrast, readableOn, textOn } from './contrast.ts';

const COLORS = [
  '#ffffff',
  '#000000',
  '#ffcc00',
  '#0a7cff',
  '#777777',
  '#757575',
  '#ff0000',
  '#00ff00',
  '#0000ff',
  '#8d88f5',
];

it('computes the contrast of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBe(21);
  expect(contrast('#777777', '#ffffff').toFixed(2)).toBe('4.48');
  expect(contrast('#ffffff', '#767676').toFixed(2)).toBe('4.54');
});

it.each(COLORS)('text on %s is readable, and so is it as text', (color) => {
  expect(contrast(color, textOn(color))).toBeGreaterThanOrEqual(4.5);
  for (const ground of ['#eceef3', '#232838'])
    expect(contrast(ground, readableOn(ground, color))).toBeGreaterThanOrEqual(4.5);
});

it('a readable color stays as it is', () => {
  expect([textOn('#0a58ca'), readableOn('#ffffff', '#0a58ca')]).toEqual(['#ffffff', '#0a58ca']);
  expect(textOn('#ffcc00')).toBe('#000000');
});

it('the grounds that links must be readable on are no harder than those of the page', () => {
  const css = readFileSync(path.join(__dirname, '../../assets/styles/page.css'), 'utf8');
  const [light = '', dark = ''] = css.split('@media');
  const look = { name: 'Acme', logoUrl: undefined, color: '#7f7f7f', url: undefined };
  const [lightAccent = '', darkAccent = ''] = [...brandStyles(look).matchAll(/--accent: (#\w+)/g)].map(
    ([, one]) => one,
  );
  const groundsIn = (text: string): string[] =>
    [...text.matchAll(/--(?:ground|surface|sunken): (#\w+)/g)].map(([, one]) => one ?? '');
  expect([groundsIn(light), groundsIn(dark)].map(({ length }) => length)).toEqual([3, 3]);
  for (const ground of groundsIn(light)) expect(contrast(ground, lightAccent)).toBeGreaterThanOrEqual(4.5);
  for (const ground of groundsIn(dark)) expect(contrast(ground, darkAccent)).toBeGreaterThanOrEqual(4.5);
});

it('without a color there are no rules', () => {
  expect(brandStyles({ name: 'Acme', logoUrl: undefined, color: undefined, url: undefined })).toBe('');
});
