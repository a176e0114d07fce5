import type { FakeReceiver, ReceiverOptions } from '@mailhook/testing';
import { startReceiver } from '@mailhook/testing';
import type { Rig, RigOptions } from './rig.ts';
import { startRig } from './rig.ts';

/** Provides a new receiver for each test, and rigs with a worker. Closes the receivers. */
export function receiverRigs(defaults: Partial<RigOptions>, receiverOptions: ReceiverOptions = {}) {
  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver(receiverOptions);
  });
  afterEach(() => receiver.close());
  return {
    get receiver(): FakeReceiver {
      return receiver;
    },
    rigWith: async (more: Partial<RigOptions> = {}): Promise<Rig> => {
      const rig = await startRig({ kind: 'campaign', ...defaults, ...more });
      await rig.startWorker();
      return rig;
    },
  };
}
