import type { CustomerServices } from '@mailhook/core';
import { coded, alertAddressInput } from '@mailhook/core';
import { ProblemError, parseOrThrow } from '@mailhook/platform/http-server';
import { field } from './action.ts';
import { texts } from '../messages/texts.ts';
import type { Action } from './action.ts';
import { ADD_ALERT, REMOVE_ALERT } from './alerts-section.ts';
import { done } from './outcome.ts';

const alertsOf = ({ alerts }: CustomerServices): NonNullable<CustomerServices['alerts']> => {
  if (alerts === undefined) throw new ProblemError('not_found', { detail: coded('unknown-button') });
  return alerts;
};

const addAlert: Action = async ({ api }, { account, form, place }) => {
  await alertsOf(api).create(
    account,
    parseOrThrow(alertAddressInput, { email: form['email'], language: form['language'] }),
  );
  return done(place, texts.alerts.addressAdded);
};

const removeAlert: Action = async ({ api }, { account, form, place }) => {
  await alertsOf(api).remove(account, field(form, 'id'));
  return done(place, texts.alerts.addressRemoved);
};

/** The buttons of the e-mail addresses for alerts. */
export const ALERT_ACTIONS: readonly (readonly [button: string, run: Action])[] = [
  [ADD_ALERT, addAlert],
  [REMOVE_ALERT, removeAlert],
];
