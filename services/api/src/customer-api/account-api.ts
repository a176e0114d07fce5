import type { AccountApi } from '@mailhook/console';
import type { z } from 'zod';
import {
  alertAddressInput,
  campaignTestInput,
  campaignWebhookInput,
  customerPauseInput,
  deadLetterListFilter,
  deadLettersQuery,
  deliveriesQuery,
  destinationSettingsInput,
  ownDiscardInput,
  eventQuery,
  receiverCheckInput,
  redriveInput,
  sendNowInput,
  subscriptionEdit,
  subscriptionInput,
} from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import type { Services } from './services.ts';

/** The services for the settings page, which passes on what people have typed. */
export const createAccountApi = (services: Services): AccountApi => ({
  ...services,
  subscriptions: {
    ...services.subscriptions,
    create: checked(subscriptionInput, services.subscriptions.create),
    edit: checkedAt(subscriptionEdit, services.subscriptions.edit),
  },
  campaign: {
    ...services.campaign,
    write: checked(campaignWebhookInput, services.campaign.write),
    test: checked(campaignTestInput, services.campaign.test),
  },
  destinationActions: {
    ...services.destinationActions,
    pause: checkedAt(customerPauseInput, services.destinationActions.pause),
    sendNow: checkedAt(sendNowInput, services.destinationActions.sendNow),
  },
  destinationSettings: {
    ...services.destinationSettings,
    write: checkedAt(destinationSettingsInput, services.destinationSettings.write),
  },
  deadLetters: {
    ...services.deadLetters,
    list: checked(deadLettersQuery, services.deadLetters.list),
    groups: checked(deadLetterListFilter, services.deadLetters.groups),
    discard: checked(ownDiscardInput, services.deadLetters.discard),
    redrive: checked(redriveInput, services.deadLetters.redrive),
  },
  alerts: services.alerts && {
    ...services.alerts,
    create: checked(alertAddressInput, services.alerts.create),
  },
  notificationTest: checked(subscriptionInput, services.notificationTest),
  deliveries: checked(deliveriesQuery, services.deliveries),
  eventLookup: checked(eventQuery, services.eventLookup),
  receiverCheck: checked(receiverCheckInput, services.receiverCheck),
});

/** The same function, for input that nobody has checked. */
const checked =
  <Input, More extends unknown[], Result>(
    schema: z.ZodType<Input>,
    run: (account: string, input: Input, ...more: More) => Promise<Result>,
  ) =>
  async (account: string, input: unknown, ...more: More): Promise<Result> =>
    run(account, parseOrThrow(schema, input), ...more);

/** The same for a function on one object of the account. */
const checkedAt =
  <Input, More extends unknown[], Result>(
    schema: z.ZodType<Input>,
    run: (account: string, id: string, input: Input, ...more: More) => Promise<Result>,
  ) =>
  async (account: string, id: string, input: unknown, ...more: More): Promise<Result> =>
    run(account, id, parseOrThrow(schema, input), ...more);
