export { createAttemptLog, KEPT_ATTEMPTS } from './record/attempt-log.ts';
export type { AttemptLogOptions } from './record/attempt-log.ts';
export { workerCloseTimeoutMs } from './host/close-times.ts';
export { createAccountUsages } from './inspect/account-usage.ts';
export type { AccountUsage, AccountUsages } from './inspect/account-usage.ts';
export { countDeadLetters } from './inspect/count-dead-letters.ts';
export { createEraseRecords } from './inspect/erase-records.ts';
export type { EraseRecords } from './inspect/erase-records.ts';
export { createDeadLetterBox } from './inspect/dead-letter-box.ts';
export { createDeliveryCounter } from './record/delivery-counter.ts';
export type { DeliveryCounter } from './record/delivery-counter.ts';
export { createDeliveryHistory, unroutedIn } from './record/delivery-history.ts';
export { UNROUTED_TYPES, unroutedId } from './record/history-keys.ts';
export type { UnroutedType } from './record/history-keys.ts';
export type { DeliveryHistory, DestinationHistory, HistoryHour } from './record/delivery-history.ts';
export { createDestinationControl } from './inspect/destination-control.ts';
export type { DestinationControl } from './inspect/destination-control.ts';
export { createDestinationLists } from './inspect/destination-list.ts';
export type { DestinationFilter, DestinationLists } from './inspect/destination-list.ts';
export { createOverview } from './inspect/overview.ts';
export type { ChunkJobs, Overview, ReadOverview, WorkerView } from './inspect/overview.ts';
export { createReadDestinations } from './inspect/destination-view.ts';
export type { DestinationState, DestinationView, ReadDestinations } from './inspect/destination-view.ts';
export { countUndelivered } from './inspect/undelivered.ts';
export { createDestinationRegistry } from './inspect/destination-registry.ts';
export type { NotSent, Sender } from './deliver/send-batch.ts';
export type { Attempt, Sent } from './record/attempt.ts';
export { factsOf } from './record/attempt-record.ts';
export { createEventFinder } from './inspect/event-finder.ts';
export { createReadHeldEvents } from './inspect/held-events.ts';
export type { ReadHeldEvents } from './inspect/held-events.ts';
export { createEngineGauges } from './inspect/gauges.ts';
export { startEngine } from './deliver/engine.ts';
export type { Engine } from './deliver/engine.ts';
export type { EngineLimits, EngineOptions } from './deliver/options.ts';
export { addInstallationInfo } from './host/installation-info.ts';
export { fittingCut, slices } from './publish/fan-out.ts';
export { createPublisher } from './publish/publisher.ts';
export type { PublisherOptions } from './publish/publisher.ts';
export { allEngineKeys, engineKeys } from './mailbox/keys.ts';
export type { EngineKeys } from './mailbox/keys.ts';
export { DEAD_LETTERS_KEPT_MS, HEARTBEAT_MS, LEASE_MS } from './mailbox/constants.ts';
export {
  FanOutTooLargeError,
  QueueBusyError,
  QueueFullError,
  QueueUnavailableError,
  TooManyWaitingError,
} from './publish/errors.ts';
export type { RoutedEvent } from './publish/routed-event.ts';
export type { Publisher } from './publish/publisher.ts';
export type { DestinationRegistry } from './inspect/destination-registry.ts';
export type { Page, PageQuery } from './record/page.ts';
export type { DeadLetterFilter, DeadLetterBox } from './inspect/dead-letter-box.ts';
export type { Discarded } from './inspect/discard.ts';
export type { AttemptRecord } from './record/attempt-record.ts';
export type { AttemptLog, KeptAttempt } from './record/attempt-log.ts';
export type { EventFinder, EventSearch } from './inspect/event-finder.ts';
export type { OutgoingRequest, ReceiverClient } from './receiver-client/receiver-client.ts';
export type { RequestHandle, ExchangeFacts } from './receiver-client/exchange.ts';
export { scriptNames } from './mailbox/scripts.ts';
export type { FrozenBatch, SendTarget } from './mailbox/replies.ts';
export { claimFormat } from './mailbox/format.ts';
export { claimShardCount } from './host/shard-count.ts';
export { commonHeaders, deliveryHeaders } from './receiver-client/delivery-headers.ts';
export type { DeliveryIdentity } from './receiver-client/delivery-headers.ts';
export { startWorkerService } from './host/worker-service.ts';
export type { WorkerServiceOptions } from './host/worker-service.ts';
export { createReceiverClient, REPLY_CAP_BYTES } from './receiver-client/receiver-client.ts';
