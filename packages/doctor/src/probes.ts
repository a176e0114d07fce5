import { batchBody, sampleNotification, subscriptionType } from '@mailhook/core';
import type { Mechanism } from '@mailhook/core';
import { sampleBatch } from './samples.ts';

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
  const wanted = plan.kind === 'campaign' ? CAMPAIGN_PROBES : TRANSACTIONAL_PROBES;
  return wanted
    .filter((id) => id !== 'stranger' || plan.isSigned)
    .map((id) => (plan.kind === 'campaign' ? campaignProbe(plan, id) : notificationProbe(plan, id)));
}

function campaignProbe({ run, nowMs }: ProbePlan, id: ProbeId): Probe {
  if (id === 'connection-test') {
    const body = JSON.stringify({ test: 'This is a sample from the receiver doctor of Mailhook' });
    return { id, body, webhookId: `sample-${run}-test`, attempt: 1, needsBody: true, hashes: [] };
  }
  const { fragments, hashes } = sampleBatch(run, POSITIONS[id] ?? [0], nowMs);
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

function notificationProbe({ run, nowMs }: ProbePlan, id: ProbeId): Probe {
  const name = subscriptionType.options.find((one) => one === id) ?? 'click';
  const sampleRun = id === 'stranger' ? `${run}-stranger` : run;
  return {
    id,
    body: sampleNotification({ name, messageId: `sample-${sampleRun}-${name}`, what: 'a sample', nowMs }),
    webhookId: `sample-${run}-${id === 'stranger' ? id : name}`,
    attempt: id === 'repeat' ? 2 : 1,
    needsBody: false,
    hashes: [],
  };
}
