import type { CodedText, ReceiverExchange } from '@mailhook/core';
import type { ExchangeFacts } from '@mailhook/delivery';
import type { Probe, ProbeId } from './probes.ts';

/** One probe and its result. */
export interface Observation {
  readonly probe: Probe;
  readonly exchange: ReceiverExchange & ExchangeFacts;
}

/** The results so far, in the order of sending. */
export type Observations = ReadonlyMap<ProbeId, Observation>;

/** All inputs of the checks. */
export interface Case {
  readonly address: string;
  readonly isSigned: boolean;
  /** Deadline of a delivery. */
  readonly timeoutMs: number;
  readonly seen: Observations;
  /** Why the doctor stopped early. Undefined if it sent every probe. */
  readonly stopped: CodedText | undefined;
}
