import type { DeliveryAttemptDetail, VersionedSettings } from '@mailhook/core';
import type { Frame } from '../family.ts';
import type { Loaded, Signing } from '../loaded.ts';
import type { WithDeliveries, WithHistory, WithStatuses } from '../parts.ts';

/** What the page of an endpoint has read. */
export type EndpointView = Frame &
  WithStatuses &
  WithHistory &
  WithDeliveries &
  Signing & {
    readonly settings: Loaded<ReadonlyMap<string, VersionedSettings>>;
    readonly attempt: Loaded<DeliveryAttemptDetail> | undefined;
  };
