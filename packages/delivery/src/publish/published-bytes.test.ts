import { PublishedBytes } from './published-bytes.ts';

describe('the bytes that a process has published', () => {
  test('count until the end of a reading of Redis that started after them', () => {
    const published = new PublishedBytes();
    published.add('a', 1);
    published.add('a', 2);
    published.startReading();
    expect([published.of('a'), published.total]).toEqual([3, 3]);
    published.endReading();
    expect([published.of('a'), published.total]).toEqual([0, 0]);
  });

  test('count until the end of the next reading if they were added during one', () => {
    const published = new PublishedBytes();
    published.add('a', 1);
    published.startReading();
    published.add('a', 10);
    published.add('b', 100);
    expect([published.of('a'), published.of('b'), published.total]).toEqual([11, 100, 111]);
    published.endReading();
    expect([published.of('a'), published.of('b'), published.total]).toEqual([10, 100, 110]);
    published.startReading();
    published.endReading();
    expect(published.total).toBe(0);
  });

  test('still count after a reading that failed', () => {
    const published = new PublishedBytes();
    published.add('a', 1);
    published.startReading();
    published.add('a', 10);
    published.startReading();
    expect([published.of('a'), published.total]).toEqual([11, 11]);
    published.endReading();
    expect([published.of('a'), published.total]).toEqual([0, 0]);
  });
});
