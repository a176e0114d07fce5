import { texts } from '../../messages/texts.ts';
import { html } from '../../html/markup.ts';
import { sampleBody } from './sample-request.ts';
import { scopeOf } from './scope.ts';
import type { Scoped } from './scope.ts';

test('the summary and the hint about versions name the recipient where bodies have it', () => {
  const scoped: Pick<Scoped, 'types' | 'maxEvents' | 'filter'> = { types: ['open'], maxEvents: 100, filter: null };
  for (const [module, version, has] of [
    ['transactional_email', 1, false],
    ['transactional_email', 2, true],
    ['campaign', 1, true],
    ['campaign', 2, true],
  ] as const) {
    expect(sampleBody(module, 'open', version, 'batch').includes('"email":')).toBe(has);
    const summary = String(html`${scopeOf({ ...scoped, module, version, shape: 'batch' })}`);
    expect([module, version, summary.includes('the recipient’s address')]).toEqual([module, version, has]);
  }
  expect(String(html`${texts.fields.versionHint}`)).toContain('to transactional messages the recipient’s address');
});
