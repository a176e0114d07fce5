import { readWindow } from './window.ts';

describe('readWindow', () => {
  test.each([undefined, null, ''])('%j is an empty window', (text) => {
    expect(readWindow(text)).toEqual([]);
  });

  test('names the values of a batch', () => {
    expect(readWindow('[["w_1-0","f",3,250,2,0,900],["r1","x",1,7,4,1,80]]')).toEqual([
      { id: 'w_1-0', lane: 'f', entries: 3, events: 250, attempt: 2, isDone: false },
      { id: 'r1', lane: 'x', entries: 1, events: 7, attempt: 4, isDone: true },
    ]);
  });

  test.each(['{', '{"a":1}', '[["w_1-0","f"]]', '[["w_1-0","f","3",250,2,0,900]]'])('%s is not a window', (text) => {
    expect(() => readWindow(text)).toThrow();
  });
});
