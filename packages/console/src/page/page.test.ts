import type { AuditedAction } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { createLogger } from '@mailhook/platform/logger';
import { actionFor, actionsOf, pageFor, pressButton } from './page.ts';

const action = actionFor<object>();
const page = pageFor<{
  name: 'one' | 'other';
  field: never;
  liveAsk: object;
  ask: object;
  view: object;
  shown: object;
  press: object;
}>();
const run = () => Promise.resolve({ isGood: true, status: 200, text: '' });

describe('a button', () => {
  it('says how the audit log names it, or that it changes nothing', () => {
    // @ts-expect-error A press would leave no trace.
    action({ run });
    expect(action({ audit: 'delete', run }).audit).toBe('delete');
    expect(action({ audit: false, run }).audit).toBe(false);
  });

  it('of a run that goes on is recorded twice: when it begins, and with its numbers when it ends', async () => {
    const recorded: (string | undefined)[] = [];
    const audit = { record: ({ object }: AuditedAction) => Promise.resolve(void recorded.push(object)) };
    const asProblem = () => new ProblemError('not_found');
    const logger = createLogger({ level: 'error', service: 'test', pretty: false });
    const later = Promise.resolve(new Map([['acc', 'redriven=3']]));
    const started = action({
      audit: 'redrive',
      run: async () => ({ ...(await run()), changed: { object: 'a', later } }),
    });
    await pressButton(
      { asProblem, audit, logger },
      started,
      {},
      {
        press: {},
        record: { actor: 'operator', via: 'operations page' },
        refusal: () => ({ place: 'page', isGood: false, status: 404, text: '' }),
        note: () => undefined,
      },
    );
    expect(recorded).toEqual(['a', 'redriven=3']);
  });

  it('has its value alone', () => {
    const pageWith = (name: 'one' | 'other', audit: string) =>
      page({ name, path: `/${name}`, asks: [], show: () => ({}), actions: { press: action({ audit, run }) } });
    const one = pageWith('one', 'delete');
    expect([...actionsOf([one]).keys()]).toEqual(['press']);
    expect(() => actionsOf([one, pageWith('other', 'create')])).toThrow('Two buttons have the value press.');
  });
});
