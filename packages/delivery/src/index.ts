export { requestOf } from './deliver/requests.ts';
export { fragmentOf } from './publish/chunk.ts';
export { createAttemptRecorder, KEPT, KEPT_ATTEMPTS } from './record/attempt-recorder.ts';
export { workerCloseTimeoutMs } from './host/close-times.ts';
export { createEraseRecords } from './manage/erase-records.ts';
export { createEraseEvents } from './manage/erase-events.ts';
export type { EraseEvents, ErasedFrom, EventsToErase, NotErased } from './manage/erase-events.ts';
export type { EraseRecords } from './manage/erase-records.ts';
export { createDeadLetterBox } from './manage/dead-letter-box.ts';
export { createDeliveryCounter } from './record/delivery-counter.ts';
export type { DeliveryCounter } from './record/delivery-counter.ts';
export { startTrendSamples } from './record/trend-samples.ts';
export { startTrendTotals } from './record/trend-totals.ts';
export { readHistory } from './record/history.ts';
export { HOURS, MINUTES, filteredId, unroutedId } from './record/history-keys.ts';
export { MINUTE_MS, readTrends, trendPlace } from './record/trends.ts';
export type { TrendName } from './record/trends.ts';
export { createDestinationControl } from './manage/destination-control.ts';
export type { DestinationControl } from './manage/destination-control.ts';
export { createOperationsPublisher, operationsMessageId } from './publish/operations-publisher.ts';
export type { OperationsPublisher } from './publish/operations-publisher.ts';
export { createDestinationRegistry } from './manage/destination-registry.ts';
export { createSender } from './deliver/send.ts';
export { bodyHour, bodyHours, readBodyRow } from './record/kept-body.ts';
export { batchOfAttempt, emailKey, factsOf } from './record/attempt-record.ts';
export { startEngine } from './deliver/engine.ts';
export type { Engine } from './deliver/engine.ts';
export type { EngineOptions } from './deliver/shard.ts';
export { addInstallationInfo } from './host/installation-info.ts';
export { fittingCut, slices } from './publish/fan-out.ts';
export { createPublisher } from './publish/publisher.ts';
export { createReplayPublisher } from './publish/replay-publisher.ts';
export type { ReplayPublisher } from './publish/replay-publisher.ts';
export { createLogCommands } from './mailbox/commands/log.ts';
export type { LogBuffer, LogCommands } from './mailbox/commands/log.ts';
export { createEventLogBuffers } from './manage/event-log-buffers.ts';
export type { EventLogBuffers } from './manage/event-log-buffers.ts';
export { createReplayProgress } from './manage/replay-progress.ts';
export type { ReplayProgress } from './manage/replay-progress.ts';
export { eventKey } from './mailbox/outcome-text.ts';
export { Installation } from './mailbox/installation.ts';
export { engineKeys } from './mailbox/keys.ts';
export type { EngineKeys } from './mailbox/keys.ts';
export {
  FanOutTooLargeError,
  QueueBusyError,
  QueueFullError,
  QueueUnavailableError,
  TooManyWaitingError,
} from './publish/errors.ts';
export type { RoutedEvent } from './publish/routed-event.ts';
export type { Publisher } from './publish/publisher.ts';
export type { DestinationRegistry, FoundRecord } from './manage/destination-registry.ts';
export type { DeadLetterBox } from './manage/dead-letter-box.ts';
export type { AttemptRecord } from './record/attempt-record.ts';
export type { AttemptRecorder } from './record/attempt-recorder.ts';
export type { AttemptRow } from './record/attempt-row.ts';
export { isOrPartOf, wantedIn } from './record/attempt-search.ts';
export type { AttemptSearch, EventSearch } from './record/attempt-search.ts';
export type { ReceiverClient } from './receiver-client/receiver-client.ts';
export type { ExchangeFacts } from './receiver-client/exchange.ts';
export { commandOf, loadFunctions, openFunctions } from './mailbox/functions.ts';
export type { CommandName } from './mailbox/functions.ts';
export { claimFormat } from './host/format.ts';
export { claimShardCount } from './host/shard-count.ts';
export { deliveryHeaders, hideCustom, shownHeaders } from './receiver-client/delivery-headers.ts';
export { startWorkerService } from './host/worker-service.ts';
export { BLOCKED_NAME, createReceiverClient, REPLY_CAP_BYTES } from './receiver-client/receiver-client.ts';
