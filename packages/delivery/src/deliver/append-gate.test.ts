import { AppendGate } from './append-gate.ts';

const BLOCKED_TICKS = 20;

let room: number;
let mayWait: boolean;
let gate: AppendGate;
/** Names of the appends that have started. */
let started: string[];
/** Whether each of them had room for all its destinations. */
let hadRoom: boolean[];
/** Ends an append with the number of its idle destinations. */
let end: Map<string, (idle: number | undefined) => void>;

beforeEach(() => {
  room = 192;
  mayWait = true;
  started = [];
  hadRoom = [];
  end = new Map();
  gate = new AppendGate({ room: () => room, mayWait: () => mayWait });
});

const append = (name: string, destinations: number): Promise<void> =>
  gate.run(destinations, (hasRoom) => {
    started.push(name);
    hadRoom.push(hasRoom);
    return new Promise((resolve) => end.set(name, resolve));
  });

const microtasks = (): Promise<unknown> => new Promise(setImmediate);

async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) gate.onTick();
  await microtasks();
}

/** An append that finds `idle` of 125 destinations idle. */
async function appendFinds(idle: number | undefined): Promise<void> {
  const done = append('earlier', 125);
  await microtasks();
  end.get('earlier')?.(idle);
  await done;
  started = [];
}

test('appends start in their order when the pool has room for all their destinations', async () => {
  void append('first', 125);
  void append('second', 125);
  void append('third', 10);
  await microtasks();
  expect(started).toEqual(['first']);
  expect(gate.isAnyWaiting).toBe(true);

  room = 67;
  end.get('first')?.(125);
  await microtasks();
  expect(started).toEqual(['first']);

  room = 135;
  gate.onRoom();
  await microtasks();
  expect(started).toEqual(['first', 'second', 'third']);
  expect(gate.isAnyWaiting).toBe(false);
});

test('room that a running append may use is not given to another one', async () => {
  void append('first', 125);
  void append('second', 125);
  gate.onRoom();
  await microtasks();
  expect(started).toEqual(['first']);
});

test('a failed append no longer uses room', async () => {
  const failing = gate.run(125, () => Promise.reject(new Error('Redis is away')));
  void append('second', 125);
  await expect(failing).rejects.toThrow('Redis is away');
  await microtasks();
  expect(started).toEqual(['second']);
});

test('appends do not wait for room after many destinations already held events', async () => {
  await appendFinds(90);
  room = 0;
  void append('next', 125);
  await microtasks();
  expect(started).toEqual(['next']);
});

test('appends wait again after nearly all destinations were idle', async () => {
  await appendFinds(0);
  for (let i = 0; i < 20; i += 1) await appendFinds(125);
  room = 0;
  void append('next', 125);
  await microtasks();
  expect(started).toEqual([]);
});

test('appends without room count for the share of idle destinations', async () => {
  mayWait = false;
  room = 0;
  await appendFinds(90);
  mayWait = true;
  void append('next', 125);
  await microtasks();
  expect(started).toEqual(['next']);
});

test('an append that changed nothing does not count for the share of idle destinations', async () => {
  await appendFinds(undefined);
  room = 0;
  void append('next', 125);
  await microtasks();
  expect(started).toEqual([]);
});

test('the ticks before an append began to wait do not count', async () => {
  await ticks(BLOCKED_TICKS);
  room = 0;
  void append('first', 125);
  await ticks(BLOCKED_TICKS - 1);
  expect(started).toEqual([]);
  await ticks(1);
  expect(started).toEqual(['first']);
});

test('all appends start after many ticks in which none could start', async () => {
  room = 125;
  void append('first', 125);
  for (const name of ['second', 'third']) void append(name, 125);
  await ticks(BLOCKED_TICKS - 1);
  expect(started).toEqual(['first']);
  // The count begins again when an append starts.
  room = 250;
  await ticks(BLOCKED_TICKS - 1);
  expect(started).toEqual(['first', 'second']);
  void append('fourth', 125);
  await ticks(1);
  expect(started).toEqual(['first', 'second', 'third', 'fourth']);
  expect(hadRoom).toEqual([true, true, false, false]);
});

test('all appends start when waiting is pointless', async () => {
  room = 0;
  for (const name of ['first', 'second']) void append(name, 125);
  mayWait = false;
  gate.onRoom();
  await microtasks();
  expect(started).toEqual(['first', 'second']);
});
