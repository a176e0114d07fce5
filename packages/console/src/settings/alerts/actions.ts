import { alertAddressInput, coded } from '@mailhook/core';
import type { CustomerServices } from '@mailhook/core';
import { parseOrThrow, ProblemError } from '@mailhook/platform/http-server';
import { texts } from '../../messages/texts.ts';
import { done } from '../../page/outcome.ts';
import { ADD_ALERT, REMOVE_ALERT } from './content.ts';
import { action } from '../family.ts';
import type { CustomerActions } from '../family.ts';

const alertsOf = ({ alerts }: CustomerServices): NonNullable<CustomerServices['alerts']> => {
  if (alerts === undefined) throw new ProblemError('not_found', { detail: coded('unknown-button') });
  return alerts;
};

/** The buttons of the e-mail addresses for alerts. */
export const alertActions: CustomerActions = {
  [ADD_ALERT]: action({
    audit: 'add alert address',
    isLasting: true,
    place: 'alerts',
    run: async ({ api, account, form: { email, language } }) => {
      await alertsOf(api).create(account, parseOrThrow(alertAddressInput, { email, language }));
      return done(texts.alerts.addressAdded);
    },
  }),
  [REMOVE_ALERT]: action({
    audit: 'remove alert address',
    place: 'alerts',
    run: async ({ api, account, form }) => {
      await alertsOf(api).remove(account, form['id'] ?? '');
      return done(texts.alerts.addressRemoved);
    },
  }),
};
