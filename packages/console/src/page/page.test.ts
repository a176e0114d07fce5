import { actionFor, actionsOf, pageFor } from './page.ts';

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

  it('has its value alone', () => {
    const pageWith = (name: 'one' | 'other', audit: string) =>
      page({ name, path: `/${name}`, asks: [], show: () => ({}), actions: { press: action({ audit, run }) } });
    const one = pageWith('one', 'delete');
    expect([...actionsOf([one]).keys()]).toEqual(['press']);
    expect(() => actionsOf([one, pageWith('other', 'create')])).toThrow('Two buttons have the value press.');
  });
});
