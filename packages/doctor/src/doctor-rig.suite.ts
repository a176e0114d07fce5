import type { CheckOutcome, Mechanism, ReceiverCheck, ReceiverReport } from '@mailhook/core';
import { createReceiverClient } from '@mailhook/delivery';
import type { ReceiverClient } from '@mailhook/delivery';
import { goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest, ReplyAction } from '@mailhook/testing';
import { createDoctor } from './doctor.ts';

type Check = { readonly [Name in keyof ReceiverCheck]: Name extends 'outcome' ? CheckOutcome : string };
/** A report as the API's answer has it. */
type Report = Omit<ReceiverReport, 'checks'> & { readonly checks: readonly Check[] };

/** The account's signing secret. */
export const SECRET = `whsec_${Buffer.from('the secret of the account').toString('base64')}`;
const TIMEOUT_MS = 5000;
/** Deadline for tests in which the receiver is late. */
export const HASTY_MS = 300;
/** Text in a receiver's reply. No report may repeat it. */
export const SECRET_TEXT = 'inner-secret-of-the-network';

interface Visit {
  readonly address?: string;
  readonly kind?: Mechanism;
  readonly secrets?: readonly string[];
  readonly timeoutMs?: number;
  readonly allowPrivate?: boolean;
  readonly ca?: string;
}

/** Starts a new receiver for each test of the calling `describe` block, and offers a doctor that checks it. */
export function doctorRig() {
  let receiver: FakeReceiver;
  const clients: ReceiverClient[] = [];

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await receiver.close();
  });

  return {
    get receiver(): FakeReceiver {
      return receiver;
    },
    visit: async (more: Visit = {}): Promise<Report> => {
      const { address = receiver.url, kind = 'campaign', secrets = [], timeoutMs = TIMEOUT_MS } = more;
      const client = createReceiverClient({
        timeoutMs,
        replyCapBytes: 1_048_576,
        egress: { allowPrivate: more.allowPrivate ?? true, allowCidrs: [], deniedPorts: [] },
        ...(more.ca === undefined ? {} : { ca: more.ca }),
      });
      clients.push(client);
      const doctor = createDoctor({ client, timeoutMs, newRunId: () => 'aB3_x-9Q' });
      return JSON.parse(JSON.stringify(await doctor({ address, kind, secrets }))) as Report;
    },
    /** Sets the answer to batches. All other requests get the answer of a correct receiver. */
    onBatch: (answer: (events: { hash: string }[], request: ReceivedRequest) => ReplyAction): void => {
      receiver.setReply((request) =>
        Array.isArray(request.json) ? answer(request.json as { hash: string }[], request) : goodReply(request),
      );
    },
  };
}

export const outcomes = ({ checks }: Report) => Object.fromEntries(checks.map(({ id, outcome }) => [id, outcome]));
export const checkOf = ({ checks }: Report, id: string): Check => checks.find((check) => check.id === id)!;
