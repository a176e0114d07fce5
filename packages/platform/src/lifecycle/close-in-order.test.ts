import { closeInOrder } from './close-in-order.ts';

const part = (name: string, log: string[], fault?: Error) => ({
  close: async () => {
    await Promise.resolve();
    log.push(name);
    if (fault !== undefined) throw fault;
  },
});

describe('closeInOrder', () => {
  test('closes parts one after the other, the last started one first', async () => {
    const log: string[] = [];
    let isClosed = false;
    const slow = {
      close: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        isClosed = true;
      },
    };
    const first = { close: () => Promise.resolve(void log.push(`first, after the slow one: ${isClosed}`)) };
    await closeInOrder([first, slow, part('last', log)], 1000);
    expect(log).toEqual(['last', 'first, after the slow one: true']);
  });

  test('closes the other parts after a failure, and reports the failure', async () => {
    const log: string[] = [];
    const parts = [
      part('a', log),
      part('b', log, new Error('b broke')),
      { close: () => Promise.reject(new Error('c broke')) },
    ];
    await expect(closeInOrder(parts, 1000)).rejects.toMatchObject({
      message: '2 of 3 parts did not close cleanly: c broke; b broke',
      errors: [new Error('c broke'), new Error('b broke')],
    });
    expect(log).toEqual(['b', 'a']);
  });

  test('closes the other parts although one hangs until the timeout', async () => {
    const log: string[] = [];
    const hanging = { close: () => new Promise<void>(() => undefined) };
    await expect(closeInOrder([part('a', log), hanging, part('c', log)], 300)).rejects.toThrow('1 of 3 parts');
    expect(log).toEqual(['c', 'a']);
  });
});
