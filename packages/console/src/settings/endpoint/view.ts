import type { DeliveryAttemptDetail, ReplayState, VersionedSettings } from '@mailhook/core';
import type { Frame } from '../family.ts';
import type { Loaded, Signing } from '../loaded.ts';
import type { CountedSpan, Past } from './replays.ts';
import type { WithDeliveries, WithFound, WithHistory, WithNewest } from '../parts.ts';
import type { WithTrial } from '../shared/filter-trial.ts';

/** What the page of an endpoint has read. */
export type EndpointView = Frame &
  WithHistory &
  WithDeliveries &
  WithNewest &
  WithFound &
  Signing &
  WithTrial & {
    readonly secretUses: Loaded<ReadonlyMap<string, string>>;
    readonly settings: Loaded<ReadonlyMap<string, VersionedSettings>>;
    readonly attempt: Loaded<DeliveryAttemptDetail> | undefined;
    readonly replays: Loaded<readonly ReplayState[]> | undefined;
    readonly counted: Loaded<CountedSpan | undefined> | undefined;
    readonly past: Loaded<Past> | undefined;
    readonly keptMs: number;
  };
