import type { FakeReceiver, ReceiverOptions } from '@mailhook/testing';
import { startReceiver } from '@mailhook/testing';
import type { Rig, RigOptions } from './rig.ts';
import { startRig } from './rig.ts';

/** Provides a new receiver for each test, and rigs with a worker. Closes all of them after the tests. */
export function receiverRigs(defaults: Partial<RigOptions>, receiverOptions: ReceiverOptions = {}) {
  const rigs: Rig[] = [];
  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver(receiverOptions);
  });
  afterEach(() => receiver.close());
  afterAll(() => Promise.all(rigs.map((rig) => rig.close())));
  return {
    get receiver(): FakeReceiver {
      return receiver;
    },
    rigWith: async (more: Partial<RigOptions> = {}): Promise<Rig> => {
      const rig = await startRig({ kind: 'campaign', ...defaults, ...more });
      rigs.push(rig);
      await rig.startWorker();
      return rig;
    },
  };
}
