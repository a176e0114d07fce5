import { arrayBody, batchBody, objectOf, sampleNotification, subscriptionType } from '@mailhook/core';
import type { Mechanism, Shape } from '@mailhook/core';
import { sampleBatch, version2Batch, version2Sample } from './samples.ts';

/** The requests to a receiver, in the order of sending. */
const CAMPAIGN_PROBES = [
  'connection-test',
  'one-event',
  'thousand-events',
  'duplicates',
  'repeat',
  'stranger',
] as const;
const TRANSACTIONAL_PROBES = [...subscriptionType.options, 'repeat', 'stranger'] as const;
export type ProbeId = (typeof CAMPAIGN_PROBES)[number] | (typeof TRANSACTIONAL_PROBES)[number];

/** Maximum number of requests per check. */
export const PROBES_MAX = Math.max(CAMPAIGN_PROBES.length, TRANSACTIONAL_PROBES.length);

/** One request of a check. */
export interface Probe {
  readonly id: ProbeId;
  readonly body: string;
  readonly webhookId: string;
  readonly attempt: number;
  readonly needsBody: boolean;
  /** Hashes of the campaign events in the body, in order. */
  readonly hashes: readonly string[];
}

export interface ProbePlan {
  readonly kind: Mechanism;
  readonly shape: Shape;
  /** Of the body. */
  readonly version: 1 | 2;
  /** Random, 8 to 20 characters of A-Z, a-z, 0-9, - and _. */
  readonly run: string;
  readonly nowMs: number;
  /** Without a signing secret, a receiver cannot detect a wrong signature, so the last probe is omitted. */
  readonly isSigned: boolean;
}

const THOUSAND = 1000;

/**
 * The requests of one check. The caller must sign the last one, `stranger`, with a secret that the account does not
 * have.
 */
export function planProbes(plan: ProbePlan): Probe[] {
  const isBatch = plan.shape === 'batch';
  const wanted = isBatch ? CAMPAIGN_PROBES : TRANSACTIONAL_PROBES;
  return (
    wanted
      .filter((id) => id !== 'stranger' || plan.isSigned)
      // Only the campaign webhook of the specification has a connection test.
      .filter((id) => id !== 'connection-test' || plan.version === 1)
      .map((id) => (isBatch ? batchProbe(plan, id) : wholeProbe(plan, id)))
  );
}

function batchProbe({ kind, version, run, nowMs }: ProbePlan, id: ProbeId): Probe {
  if (id === 'connection-test') {
    const body = JSON.stringify({ test: 'This is a sample from the receiver doctor of Mailhook' });
    return { id, body, webhookId: `sample-${run}-test`, attempt: 1, needsBody: true, hashes: [] };
  }
  const positions = POSITIONS[id] ?? [0];
  const { fragments, hashes } =
    version === 1 ? sampleBatch(run, positions, nowMs) : version2Batch(kind, run, positions, nowMs);
  const attempt = id === 'repeat' ? 2 : 1;
  // A resend of the same batch keeps its id.
  const webhookId = `sample-${run}-${id === 'repeat' ? 'one-event' : id}`;
  return { id, body: batchBody(fragments, attempt), webhookId, attempt, needsBody: true, hashes };
}

/**
 * The sample events of each batch. Equal positions mean equal events. Batches that are not listed hold only position 0.
 */
const POSITIONS: Partial<Record<ProbeId, readonly number[]>> = {
  'thousand-events': Array.from({ length: THOUSAND }, (_, position) => 1000 + position),
  duplicates: [12, 13, 12],
  stranger: [20],
};

function wholeProbe({ kind, shape, version, run, nowMs }: ProbePlan, id: ProbeId): Probe {
  const name = subscriptionType.options.find((one) => one === id) ?? 'click';
  const messageId = `sample-${id === 'stranger' ? `${run}-stranger` : run}-${name}`;
  const fragment = () => version2Sample(kind, name, messageId, nowMs);
  const body = (): string => {
    if (version === 1) return sampleNotification({ name, messageId, what: 'a sample', nowMs });
    return shape === 'array' ? arrayBody(fragment()) : objectOf(fragment());
  };
  return {
    id,
    body: body(),
    webhookId: `sample-${run}-${id === 'stranger' ? id : name}`,
    attempt: id === 'repeat' ? 2 : 1,
    needsBody: false,
    hashes: [],
  };
}
