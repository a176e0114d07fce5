import type { ReceiverExchange } from '@mailhook/core';
import type { ExchangeFacts } from '@mailhook/delivery';
import type { Probe, ProbeId } from './probes.ts';

/** What came of one probe. */
export interface Observation {
  readonly probe: Probe;
  readonly exchange: ReceiverExchange & ExchangeFacts;
}

/** What was seen so far, in the order of sending. */
export type Observations = ReadonlyMap<ProbeId, Observation>;

/** All that a judgement rests on. */
export interface Case {
  readonly address: string;
  readonly isSigned: boolean;
  /** Deadline of a delivery. */
  readonly timeoutMs: number;
  readonly seen: Observations;
  /** Why nothing more was sent; undefined when every probe was. */
  readonly stopped: string | undefined;
}
