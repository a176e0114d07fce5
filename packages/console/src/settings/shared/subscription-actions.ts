import type { CustomerServices } from '@mailhook/core';
import { subscriptionEdit, subscriptionInput } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { texts } from '../../messages/texts.ts';
import { done, refused } from '../../page/outcome.ts';
import type { Said } from '../../page/outcome.ts';
import {
  changeAddress,
  check,
  MODULE,
  ofDestination,
  offerToSave,
  ofSubscription,
  typedAddress,
} from './change-address.ts';
import { action } from '../family.ts';
import type { CustomerActions, Press } from '../family.ts';
import { ifVersionOf } from './made-from.ts';
import { ofTest } from './outcomes.ts';

const { outcomes, stops } = texts;

const typed = (form: FormFields) =>
  parseOrThrow(subscriptionInput, { address: typedAddress(form), type: form['type'] ?? '', module: MODULE });

/** An active subscription of this type with this address, other than `id`. Its receiver would get each event twice. */
async function findDuplicate(api: CustomerServices, account: string, form: FormFields): Promise<boolean> {
  const { type = '', id = '', do: button = '' } = form;
  const address = typedAddress(form);
  const all = await api.subscriptions.list(account);
  const isOn = id === '' || button.endsWith('-on') || all.some((one) => one.id === id && one.active);
  return isOn && all.some((one) => one.id !== id && one.active && one.type === type && isSame(one.address, address));
}

const isSame = (a: string, b: string): boolean =>
  URL.canParse(a) && URL.canParse(b) ? new URL(a).href === new URL(b).href : a === b;

/** Asks whether the receiver shall get each event twice. Undefined if it would not. */
async function aboutDuplicate({
  api,
  account,
  form,
}: Press & { readonly form: FormFields }): Promise<Said | undefined> {
  const { type = '', do: button = '' } = form;
  if (button.endsWith('-anyway') || !(await findDuplicate(api, account, form))) return undefined;
  return refused(409, outcomes.duplicate({ type }), { draft: form, question: `${button}-anyway` });
}

const create = action({
  audit: 'create subscription',
  place: 'new-subscription',
  run: async (press) => {
    const { api, account, form } = press;
    const asked = await aboutDuplicate(press);
    if (asked !== undefined) return asked;
    const input = typed(form);
    await api.subscriptions.create(account, input);
    return done(outcomes.subscriptionAdded({ type: input.type }));
  },
});

const edit = (audit: string, isSwitchedOn: boolean) =>
  action({
    audit,
    place: ofSubscription,
    run: async (press) => {
      const { api, account, form, onUnchanged } = press;
      const asked = await aboutDuplicate(press);
      if (asked !== undefined) return asked;
      const { id = '', type = '' } = form;
      const active = isSwitchedOn ? { active: true } : {};
      const change = parseOrThrow(subscriptionEdit, { address: typedAddress(form), type, module: MODULE, ...active });
      const lost = await changeAddress(api, account, id, () =>
        api.subscriptions.edit(account, id, change, onUnchanged, ifVersionOf(form)),
      );
      if (isSwitchedOn) return done([outcomes.savedAndOn, lost]);
      const { active: isOn } = await api.subscriptions.read(account, id);
      const text = isOn ? outcomes.subscriptionSaved : outcomes.subscriptionSavedOff;
      return done([text, lost], { isWarning: !isOn });
    },
  });

const test = async ({ api, account, form }: Press & { readonly form: FormFields }): Promise<Said> => {
  const input = typed(form);
  const result = await api.notificationTest(account, input, form['id']);
  const said = ofTest(result, outcomes.notificationTaken({ type: input.type }), typedAddress(form));
  return { ...said, draft: form };
};

const switchTo = (audit: string, active: boolean, said: typeof outcomes.switchedOn) =>
  action({
    audit,
    place: ofDestination,
    run: async ({ api, account, form, onUnchanged }) => {
      await api.subscriptions.edit(account, form['id'] ?? '', { module: MODULE, active }, onUnchanged);
      return done(said);
    },
  });

const editOff = edit('edit subscription', false);
const editOn = edit('edit and switch on subscription', true);

/** The buttons of the form that adds a subscription. */
export const newSubscriptionActions: CustomerActions = {
  'create-subscription': create,
  'create-subscription-anyway': create,
  'test-new-subscription': action({
    audit: false,
    place: 'new-subscription',
    run: async (press) => {
      const said = await test(press);
      return said.isGood ? { ...said, ...offerToSave('create-subscription', 'new-subscription', press.form) } : said;
    },
  }),
};

/** The buttons of a subscription. */
export const subscriptionActions: CustomerActions = {
  'edit-subscription': editOff,
  'edit-subscription-anyway': editOff,
  'edit-subscription-on': editOn,
  'edit-subscription-on-anyway': editOn,
  'test-subscription': action({ audit: false, place: ofSubscription, run: test }),
  'check-subscription': check('transactional', ofSubscription),
  'switch-on': switchTo('switch on subscription', true, outcomes.switchedOn),
  'switch-off': switchTo('switch off subscription', false, stops.switchedOff),
  'delete-subscription': action({
    audit: 'delete subscription',
    place: ofSubscription,
    run: async ({ api, account, form }) => {
      await api.subscriptions.remove(account, form['id'] ?? '');
      return done(stops.deleted, { place: 'subscriptions' });
    },
  }),
};
