import {
  account,
  acknowledgementItem,
  attemptReply,
  attemptRequest,
  campaignEvent,
  campaignInput,
  campaignTestInput,
  campaignWebhook,
  campaignWebhookInput,
  capitalized,
  connectionTest,
  connectionTestReply,
  createdSecret,
  createdToken,
  customerPauseInput,
  deadLetter,
  deadLetterDetail,
  deliveryAttempt,
  deliveryAttemptDetail,
  destinationList,
  destinationSettings,
  destinationSettingsInput,
  destinationStatus,
  eventTrace,
  eventTraces,
  fieldError,
  notification,
  problem,
  producerEvent,
  receiverCheck,
  receiverCheckInput,
  receiverReport,
  redriveInput,
  redriveResult,
  sendNowInput,
  sendNowResult,
  signingSecret,
  subscription,
  subscriptionEdit,
  subscriptionInput,
  testResult,
  transactionalEvent,
} from '@mailhook/core';
import type { z } from 'zod';
import { named } from '../endpoints/answers.ts';

type Components = Readonly<Record<string, z.ZodType>>;

/** The members of a union of events, each named after its type, such as `OpenNotification`. */
const membersOf = (
  options: readonly { readonly shape: Readonly<Record<string, unknown>> }[],
  key: 'name' | 'event',
  suffix: string,
): Components =>
  Object.fromEntries(
    options.map((option) => {
      const type = option.shape[key] as z.ZodLiteral<string>;
      return [`${capitalized(type.value)}${suffix}`, option as z.ZodObject];
    }),
  );

const [testFailure, testSuccess] = testResult.options;

/** The contracts that become components of the documents. Readers see their names in place of `object`. */
const COMPONENTS: Components = {
  Account: account,
  AcknowledgementItem: acknowledgementItem,
  AttemptReply: attemptReply,
  AttemptRequest: attemptRequest,
  CampaignEvent: campaignEvent,
  ...membersOf(campaignEvent.options, 'event', 'CampaignEvent'),
  CampaignTest: campaignTestInput,
  CampaignWebhook: campaignWebhook,
  CampaignWebhookChange: campaignWebhookInput,
  ConnectionTest: connectionTest,
  ConnectionTestReply: connectionTestReply,
  CreatedSecret: createdSecret,
  CreatedToken: createdToken,
  DeadLetter: deadLetter,
  DeadLetterDetail: deadLetterDetail,
  DeliveryAttempt: deliveryAttempt,
  DeliveryAttemptDetail: deliveryAttemptDetail,
  DestinationList: destinationList,
  DestinationSettings: destinationSettings,
  DestinationSettingsInput: destinationSettingsInput,
  DestinationStatus: destinationStatus,
  EventTrace: eventTrace,
  EventTraces: eventTraces,
  FieldError: fieldError,
  Notification: notification,
  ...membersOf(notification.options, 'name', 'Notification'),
  Pause: customerPauseInput,
  Problem: problem,
  ProducerEvent: producerEvent,
  ProducerCampaignEvent: campaignInput,
  ...membersOf(campaignInput.options, 'event', 'ProducerCampaignEvent'),
  ProducerTransactionalEvent: transactionalEvent,
  ...membersOf(transactionalEvent.options, 'name', 'ProducerTransactionalEvent'),
  ReceiverCheck: receiverCheck,
  ReceiverCheckRequest: receiverCheckInput,
  ReceiverReport: receiverReport,
  Redrive: redriveInput,
  RedriveResult: redriveResult,
  SendNow: sendNowInput,
  SendNowResult: sendNowResult,
  SigningSecret: signingSecret,
  Subscription: subscription,
  SubscriptionChange: subscriptionEdit,
  SubscriptionRequest: subscriptionInput,
  TestFailure: testFailure,
  TestResult: testResult,
  TestSuccess: testSuccess,
};

/** Registers these names where zod-openapi looks for them. */
export function nameSchemas(): void {
  for (const [id, schema] of Object.entries(COMPONENTS)) named(id, schema);
}
