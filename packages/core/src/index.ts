export * from './contracts/account.ts';
export * from './contracts/acknowledgement.ts';
export * from './contracts/address.ts';
export * from './contracts/campaign-batch.ts';
export * from './contracts/campaign-webhook.ts';
export * from './contracts/delivery.ts';
export * from './contracts/destination-settings.ts';
export * from './contracts/destination-status.ts';
export {
  CAMPAIGN_TYPES,
  ENUMERATED_VALUES,
  forEachType,
  namesOf,
  TRANSACTIONAL_TYPES,
} from './contracts/event-types.ts';
export * from './contracts/producer-event.ts';
export * from './contracts/history.ts';
export * from './contracts/notification.ts';
export * from './contracts/operations-message.ts';
export * from './contracts/operator.ts';
export * from './contracts/overview.ts';
export * from './contracts/page.ts';
export * from './contracts/problem.ts';
export * from './contracts/queues.ts';
export * from './contracts/receiver-check.ts';
export * from './contracts/subscription.ts';
export * from './contracts/validate.ts';
export * from './domain/fragment.ts';
export * from './domain/breaker.ts';
export * from './domain/chunk-priority.ts';
export * from './domain/composite-key.ts';
export * from './domain/connection-test.ts';
export * from './domain/credentials.ts';
export * from './domain/destination.ts';
export * from './domain/destination-health.ts';
export * from './domain/error-text.ts';
export * from './domain/event-hash.ts';
export * from './domain/follow-up.ts';
export { partToSend } from './domain/halving.ts';
export * from './domain/hash32.ts';
export * from './domain/json-fault.ts';
export * from './domain/match.ts';
export * from './domain/outcome.ts';
export * from './domain/format.ts';
export * from './domain/received-reply.ts';
export * from './domain/web-page.ts';
export { ENDING_STATUSES, statusesThat, statusRule, STATUS_RULES } from './domain/status-rules.ts';
export { isAddressAtFault } from './domain/refusal.ts';
export * from './domain/retry.ts';
export * from './domain/sample-notification.ts';
export * from './domain/schedule.ts';
export * from './domain/sentence.ts';
export * from './domain/sent-batch.ts';
export * from './domain/acknowledgement.ts';
export { replyFix } from './domain/acknowledgement-fault.ts';
export { quote, readBody } from './domain/reply-body.ts';
export * from './domain/size-limit.ts';
export * from './domain/slips.ts';
export * from './domain/stored-account.ts';
export * from './domain/trace-context.ts';
export * from './ports/store.ts';
export * from './version.ts';
