import { ALERT_KINDS, alertAddressInput, alertWebhookInput } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import { done, refused } from '../../page/outcome.ts';
import { ADD_ALERT, BETWEEN, CHOOSE_ALERTS, REMOVE_ALERT, REMOVE_ALERT_WEBHOOK, TEST_ALERT } from './content.ts';
import { action } from '../family.ts';
import type { CustomerActions } from '../family.ts';

const isUrl = (text: string): boolean => /^\s*https?:/i.test(text);

/** The buttons of those who get alerts: e-mail addresses and webhooks. */
export const alertActions: CustomerActions = {
  [ADD_ALERT]: action({
    audit: 'add alert address',
    isLasting: true,
    place: 'alerts',
    run: async ({ api, account, form: { email = '', language } }) => {
      if (!api.alerts.sendsMails || isUrl(email)) {
        const input = parseOrThrow(alertWebhookInput, { address: email.trim(), language });
        await api.alerts.webhooks.create(account, input);
        return done(texts.alerts.webhookAdded, { changed: { action: 'add alert webhook' } });
      }
      await api.alerts.create(account, parseOrThrow(alertAddressInput, { email, language }));
      return done(texts.alerts.addressAdded);
    },
  }),
  [CHOOSE_ALERTS]: action({
    audit: 'choose alerts',
    place: 'alerts',
    run: async ({ api, account, form }) => {
      const kinds = ALERT_KINDS.filter((kind) => form[`kind-${kind}`] === 'on');
      const listed = (form['endpoints'] ?? '').split(BETWEEN).filter((id) => id !== '');
      const muted = listed.filter((id) => form[`endpoint-${id}`] !== 'on');
      await api.alerts.choose(account, form['id'] ?? '', { kinds, muted });
      return done(texts.alerts.chosen);
    },
  }),
  [TEST_ALERT]: action({
    audit: false,
    place: 'alerts',
    run: async ({ api, account, form }) => {
      const { success, reason } = await api.alerts.webhooks.test(account, form['id'] ?? '');
      if (success) return done(texts.alerts.testSent);
      return refused(200, texts.alerts.testFailed, reason === undefined ? {} : { advice: saidSentence(reason) });
    },
  }),
  [REMOVE_ALERT]: action({
    audit: 'remove alert address',
    place: 'alerts',
    run: async ({ api, account, form }) => {
      await api.alerts.remove(account, form['id'] ?? '');
      return done(texts.alerts.addressRemoved);
    },
  }),
  [REMOVE_ALERT_WEBHOOK]: action({
    audit: 'remove alert webhook',
    place: 'alerts',
    run: async ({ api, account, form }) => {
      await api.alerts.webhooks.remove(account, form['id'] ?? '');
      return done(texts.alerts.addressRemoved);
    },
  }),
};
