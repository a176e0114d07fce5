import { setImmediate } from 'node:timers/promises';
import { JobGate } from './job-gate.ts';

describe('the gate for jobs', () => {
  /** Starts and ends jobs by name. `running` lists them in the order of their starts. */
  function scene(bytesMax: number) {
    const gate = new JobGate({ bytes: bytesMax, waiting: 4 });
    const ends = new Map<string, () => void>();
    const enter = (name: string, bytes: number, isAlone = false): void => {
      void gate.run({ bytes, isAlone }, () => new Promise<void>((end) => ends.set(name, end)));
    };
    const end = (name: string): void => {
      ends.get(name)?.();
      ends.delete(name);
    };
    const running = async (): Promise<string> => {
      await setImmediate();
      return [...ends.keys()].join(' ');
    };
    return { gate, enter, end, running };
  }

  it('lets large jobs in up to a sum of bytes, in order', async () => {
    const { enter, end, running } = scene(10);
    enter('a', 6);
    enter('b', 5);
    enter('c', 4);
    expect(await running()).toBe('a');
    end('a');
    expect(await running()).toBe('b c');
  });

  it('lets in a job that exceeds the sum while no other large job runs', async () => {
    const { enter, end, running } = scene(10);
    enter('a', 1);
    enter('huge', 99);
    expect(await running()).toBe('a');
    end('a');
    enter('b', 1);
    expect(await running()).toBe('huge');
    end('huge');
    expect(await running()).toBe('b');
  });

  it('lets small jobs overtake waiting large jobs', async () => {
    const { enter, running } = scene(10);
    enter('a', 10);
    enter('b', 10);
    enter('small', 0);
    expect(await running()).toBe('a small');
  });

  it('runs a job alone, after the running jobs and before later jobs', async () => {
    const { enter, end, running } = scene(10);
    enter('small', 0);
    enter('large', 5);
    enter('alone', 0, true);
    enter('later', 0);
    enter('alone too', 5, true);
    expect(await running()).toBe('small large');
    end('small');
    expect(await running()).toBe('large');
    end('large');
    expect(await running()).toBe('alone');
    end('alone');
    expect(await running()).toBe('later');
    end('later');
    expect(await running()).toBe('alone too');
  });

  it('is crowded when four large jobs wait, no matter how many small jobs there are', () => {
    const { gate, enter } = scene(10);
    enter('a', 10);
    for (let i = 0; i < 10; i += 1) enter(`small ${i}`, 0);
    for (let i = 0; i < 3; i += 1) enter(`large ${i}`, 10);
    expect(gate.isCrowded).toBe(false);
    enter('fourth', 10);
    expect(gate.isCrowded).toBe(true);
  });

  it('starts the next job after a failed one', async () => {
    const gate = new JobGate({ bytes: 10, waiting: 4 });
    const fails = () => gate.run({ bytes: 10, isAlone: true }, () => Promise.reject(new Error('no')));
    await expect(fails()).rejects.toThrow('no');
    await expect(fails()).rejects.toThrow('no');
  });
});
