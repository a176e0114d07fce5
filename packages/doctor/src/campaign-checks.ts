import type { ReceiverCheck } from '@mailhook/core';
import { connectionTestDetail, connectionTestFault, REPLY_FIXES, replyFix } from '@mailhook/core';
import { confirmationFault, strangerCount } from './acknowledgement-faults.ts';
import type { Fault, Finding, Subject } from './findings.ts';
import { asCheck, failed, isSuccess, passed, skipped, statusFault, transportFault, warning } from './findings.ts';
import type { Case, Observation } from './observations.ts';
import type { ProbeId } from './probes.ts';

/** Checks of campaign receivers (docs/protocol.md). */

export const connectionTestCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'connection-test',
      title: 'It passes the connection test',
      why: 'The settings page sends {"test": "..."} and shows a failure unless the answer is {"status": "ok"}.',
    },
    judged(about, 'connection-test', ({ exchange }) => {
      if (exchange.type !== 'reply') return failed(transportFault(exchange, about.timeoutMs));
      if (connectionTestFault(exchange) === undefined) return passed('The answer was {"status": "ok"}.');
      if (!isSuccess(exchange.status)) return failed(statusFault(exchange.status, '2xx'));
      const fault = connectionTestDetail(exchange) ?? '';
      const fix = replyFix(fault);
      return failed({
        detail: `The answer to {"test": "..."} is not {"status": "ok"}: ${fault}.`,
        fix:
          fix === undefined ? 'Answer the connection test with 200 and the body {"status": "ok"}.' : REPLY_FIXES[fix],
      });
    }),
  );

export const statusCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'status',
      title: 'It answers a batch with HTTP 200',
      why: 'A batch is taken as received with exactly 200. Every other status, 202 and 204 included, means: send it again.',
    },
    judged(about, 'one-event', ({ exchange }) => {
      if (exchange.type !== 'reply') return failed(transportFault(exchange, about.timeoutMs));
      return exchange.status === 200 ? passed('The status was 200.') : failed(statusFault(exchange.status, '200'));
    }),
  );

export const acknowledgementCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'acknowledgement',
      title: 'It confirms a batch of one event, in the right shape',
      why: 'Events are confirmed one by one: by an item with their hash and the boolean true. Mailhook sends unconfirmed events again.',
    },
    replied(about, (body, { probe }) => {
      const fault = confirmationFault(body, probe.hashes);
      if (fault !== undefined) return failed(fault);
      const strangers = strangerCount(body, probe.hashes);
      if (strangers === 0)
        return passed('The acknowledgement is an array of {hash, status: true}, and confirms the event.');
      return warning({
        detail: `The acknowledgement names ${strangers} hashes that were not in the batch; they are ignored.`,
        fix: 'Confirm the events of the request that you answer, and no others.',
      });
    }),
  );

export const contentTypeCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'content-type',
      title: 'It says that the answer is JSON',
      why: 'Mailhook reads the body whatever the header says; proxies and other tools go by the header.',
    },
    replied(about, (_body, { exchange }) => {
      const type = exchange.type === 'reply' ? exchange.contentType : undefined;
      if (type !== undefined && /^application\/(.+\+)?json\s*(;|$)/i.test(type)) return passed('It is a JSON type.');
      return warning({
        detail: type === undefined ? 'The reply has no Content-Type.' : 'The Content-Type of the reply is not JSON.',
        fix: 'Answer with Content-Type: application/json.',
      });
    }),
  );

/** For each of `BATCHES`, checks that the receiver acknowledges every event. */
export const batchChecks = (about: Case): ReceiverCheck[] =>
  BATCHES.map(({ probe, fix, ...subject }) =>
    asCheck(
      subject,
      judged(about, probe, (observation) => {
        const fault = batchFault(observation, about.timeoutMs);
        if (fault !== undefined) {
          const isReply = observation.exchange.type === 'reply';
          return failed({ ...fault, fix: isReply && fix !== undefined ? fix : fault.fix });
        }
        return passed(`All ${observation.probe.hashes.length} events were confirmed.`);
      }),
    ),
  );

const BATCHES: readonly (Subject & {
  readonly probe: ProbeId;
  /**
   * Replaces the general advice for an incorrect reply. The one-event batch was acknowledged, so the cause lies in this
   * batch.
   */
  readonly fix?: string;
})[] = [
  {
    id: 'thousand-events',
    probe: 'thousand-events',
    title: 'It confirms a batch of 1000 events',
    why: 'Under load, and after a pause, batches hold up to 1000 events, some 200 kB of JSON.',
  },
  {
    id: 'duplicates',
    probe: 'duplicates',
    title: 'It confirms a batch that holds a hash twice',
    why: 'Two opens in the same second are the same event twice, with one hash. One item confirms both.',
    fix: 'Expect a hash twice in one batch: insert what is new, ignore what is there, confirm both.',
  },
  {
    id: 'repeat',
    probe: 'repeat',
    title: 'It confirms the same batch again',
    why: 'After a lost reply or a failure, Mailhook sends the same events again, with a higher attempt, until they are confirmed or the attempts run out.',
    fix: 'Confirm also what you have stored before: skip the work, not the acknowledgement.',
  },
];

function batchFault({ exchange, probe }: Observation, timeoutMs: number): Fault | undefined {
  if (exchange.type !== 'reply') return transportFault(exchange, timeoutMs);
  if (exchange.status !== 200) return statusFault(exchange.status, '200');
  return confirmationFault(exchange.body ?? '', probe.hashes);
}

const judged = (about: Case, probe: ProbeId, judge: (observation: Observation) => Finding): Finding => {
  const observation = about.seen.get(probe);
  return observation === undefined ? skipped(about.stopped ?? 'It was not sent.') : judge(observation);
};

/** Judges a reply with status 200 to the one-event batch. Without such a reply, the check is skipped. */
const replied = (about: Case, judge: (body: string, observation: Observation) => Finding): Finding =>
  judged(about, 'one-event', (observation) => {
    const { exchange } = observation;
    return exchange.type === 'reply' && exchange.status === 200
      ? judge(exchange.body ?? '', observation)
      : skipped('There is no reply with status 200.');
  });
