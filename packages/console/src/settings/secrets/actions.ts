import { rollInput } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { texts } from '../../messages/texts.ts';
import { done } from '../../page/outcome.ts';
import type { OutcomePlace } from '../../page/outcome.ts';
import { action } from '../family.ts';
import type { CustomerActions } from '../family.ts';
import { CREATE_SECRET, DELETE_SECRET, ROLL_SECRET } from './content.ts';

const { outcomes } = texts;

const placeOf = ({ destination }: FormFields): OutcomePlace => (destination === undefined ? 'secrets' : 'own-secrets');

/** The buttons of the secrets of the account, or of the destination that the form names. */
export const secretActions: CustomerActions = {
  [CREATE_SECRET]: action({
    audit: 'create signing secret',
    isLasting: true,
    place: placeOf,
    run: async ({ api, account, form: { destination } }) => {
      const { secret } = await (destination === undefined
        ? api.secrets.create(account)
        : api.destinationSecrets.create(account, destination));
      return done(destination === undefined ? outcomes.secretCreated : outcomes.ownSecretCreated, { secret });
    },
  }),
  [ROLL_SECRET]: action({
    audit: 'roll signing secret',
    isLasting: true,
    place: placeOf,
    input: ({ hours }) => parseOrThrow(rollInput, { hours: Number(hours) }),
    run: async ({ api, account, form: { destination }, input }) => {
      const { id, secret } = await (destination === undefined
        ? api.secrets.roll(account, input)
        : api.destinationSecrets.roll(account, destination, input));
      return done(outcomes.secretRolled, { secret, changed: { object: id } });
    },
  }),
  [DELETE_SECRET]: action({
    audit: 'delete signing secret',
    place: placeOf,
    run: async ({ api, account, form: { destination, id = '' } }) => {
      if (destination === undefined) await api.secrets.remove(account, id);
      else await api.destinationSecrets.remove(account, destination, id);
      return done(outcomes.secretDeleted);
    },
  }),
};
