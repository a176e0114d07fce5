import fc from 'fast-check';
import type { Lane } from './mailbox-state.ts';
import type { Settle } from './model.ts';
import type { Drain, Worker } from './workers.ts';
import { HOUR_MS } from './world.ts';
import type { World } from './world.ts';

/** A step of the world with its name. */
interface Step {
  readonly name: string;
  readonly run: (world: World) => Promise<unknown>;
}

class StepCommand implements fc.AsyncCommand<World, World> {
  readonly #step: Step;
  constructor(step: Step) {
    this.#step = step;
  }
  check(): boolean {
    return true;
  }
  async run(world: World): Promise<void> {
    world.steps.push(this.#step.name);
    await this.#step.run(world);
    await world.compare();
  }
  toString(): string {
    return this.#step.name;
  }
}

const choice = fc.nat(99);
const pick = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(1, items.length)];
const workerAt = (world: World, at: number): Worker => pick(world.workers, at) as Worker;
/** Whether the worker gets the reply of a call; mostly true. */
const heard = fc.integer({ min: 0, max: 9 }).map((n) => n > 0);

type Answer = 'delivered' | 'half' | 'resend' | 'again now' | 'dead' | 'gone';
const ANSWERS: readonly Answer[] = ['delivered', 'delivered', 'half', 'resend', 'resend', 'again now', 'dead', 'gone'];

/** The receiver answers one batch of a drain. */
function answer(world: World, drain: Drain, at: number, how: Answer): void {
  const batch = pick([...drain.inFlight.values()], at);
  if (batch === undefined) return;
  drain.inFlight.delete(batch.id);
  const { id, attempt, events, version } = batch;
  const settle = (delivered: readonly string[], followUps: Settle['followUps'], judgesAddress = false): void => {
    drain.settles.push({ id, attempt, delivered, followUps, version, judgesAddress });
  };
  const failed = (): void => {
    const failures = world.model.s.breaker.failures + 1;
    const parkMs = failures >= 3 ? HOUR_MS : 0;
    drain.breaker = { failures, parkMs, parkedUntilMs: parkMs > 0 ? Date.now() + parkMs : 0, version };
  };
  if (how === 'delivered') {
    settle(events, []);
    drain.breaker = { failures: 0, parkMs: 0, parkedUntilMs: 0, version };
  } else if (how === 'half') {
    const cut = Math.ceil(events.length / 2);
    const rest = events.slice(cut);
    settle(
      events.slice(0, cut),
      rest.length === 0 ? [] : [{ type: 'x', id: world.newId(), events: rest, waitMs: HOUR_MS }],
    );
  } else if (how === 'resend') {
    settle([], [{ type: 'x', id, events, waitMs: HOUR_MS }]);
    failed();
  } else if (how === 'again now') {
    const cut = Math.ceil(events.length / 2);
    const parts = [events.slice(0, cut), events.slice(cut)].filter((part) => part.length > 0);
    settle(
      [],
      parts.map((part) => ({ type: 'q', id: world.newId(), events: part, waitMs: 0 })),
    );
  } else {
    settle([], [{ type: 'd', id: world.newId(), events, waitMs: 0 }], how === 'gone');
  }
}

const command = (weight: number, step: fc.Arbitrary<Step>) => ({
  weight,
  arbitrary: step.map((one) => new StepCommand(one)),
});

const withDrain =
  (at: number, run: (world: World, worker: Worker, drain: Drain) => Promise<unknown>) => async (world: World) => {
    const found = pick(world.drains(), at);
    if (found === undefined) return;
    const [worker, drain] = found;
    await (drain.purging ? world.purge(worker, drain) : run(world, worker, drain));
  };

/** Every step that processes, people and faults may take, in any order. */
export const anyCommands = (maxCommands: number) =>
  fc.commands(
    [
      fc.oneof(
        command(
          8,
          fc
            .tuple(
              choice,
              fc.constantFrom<Lane>('f', 'f', 'u'),
              fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
              fc.boolean(),
              heard,
            )
            .map(([w, lane, sizes, room, isHeard]) => ({
              name: `worker ${w % 3} appends ${sizes.join('+')} to ${lane}${room ? '' : ', without room'}${isHeard ? '' : ', the reply is lost'}`,
              run: (world) => world.append(workerAt(world, w), lane, sizes, room, isHeard),
            })),
        ),
        command(
          1,
          fc.tuple(choice, fc.boolean()).map(([w, gone]) => ({
            name: `worker ${w % 3} appends the last chunk again${gone ? ', its job is gone' : ''}`,
            run: (world) => world.appendAgain(workerAt(world, w), gone),
          })),
        ),
        command(
          5,
          fc.tuple(choice, heard).map(([w, isHeard]) => ({
            name: `worker ${w % 3} takes${isHeard ? '' : ', the reply is lost'}`,
            run: (world) => world.take(workerAt(world, w), isHeard),
          })),
        ),
        command(
          16,
          fc
            .tuple(
              choice,
              fc.array(fc.tuple(choice, fc.constantFrom(...ANSWERS)), { maxLength: 3 }),
              fc.constantFrom(1, 2, 4),
              heard,
            )
            .map(([d, answers, window, isHeard]) => ({
              name: `drain ${d}: ${answers.map(([at, how]) => `${at % 4} ${how}`).join(', ')}; next with window ${window}${isHeard ? '' : ', the reply is lost'}`,
              run: withDrain(d, async (world, worker, drain) => {
                for (const [at, how] of answers) answer(world, drain, at, how);
                await world.next(worker, drain, window, isHeard);
              }),
            })),
        ),
        command(
          1,
          fc.tuple(choice).map(([d]) => ({
            name: `drain ${d} leaves`,
            run: withDrain(d, async (world, worker, drain) => {
              drain.leaving = true;
              await world.next(worker, drain, 1, true);
            }),
          })),
        ),
        command(
          3,
          choice.map((w) => ({ name: `worker ${w % 3} beats`, run: (world) => world.beat(workerAt(world, w)) })),
        ),
        command(
          1,
          choice.map((w) => ({ name: `worker ${w % 3} dies`, run: (world) => world.crash(workerAt(world, w)) })),
        ),
        command(
          1,
          fc.constant({
            name: 'two workers die together',
            run: async (world: World) => {
              await world.crash(workerAt(world, 0));
              await world.crash(workerAt(world, 1));
            },
          }),
        ),
        command(2, fc.constant({ name: 'orphans are put back', run: (world: World) => world.returnOrphans() })),
        command(
          2,
          choice.map((at) => ({
            name: `the job of resend ${at} wakes it`,
            run: async (world) => {
              const [id] = pick([...world.model.s.resends], at) ?? [];
              if (id !== undefined) await world.jobWakes(id);
            },
          })),
        ),
        command(1, fc.constant({ name: 'a job wakes the destination', run: (world: World) => world.jobWakes('') })),
        command(
          1,
          fc
            .constantFrom(HOUR_MS, -HOUR_MS, 96 * HOUR_MS)
            .map((byMs) => ({ name: `the clock steps by ${byMs / HOUR_MS} h`, run: (world) => world.clockStep(byMs) })),
        ),
        command(
          1,
          fc.constant({
            name: 'an operator pauses',
            run: (world: World) => world.operator.pause(Date.now() + HOUR_MS),
          }),
        ),
        command(1, fc.constant({ name: 'an operator resumes', run: (world: World) => world.operator.resume() })),
        command(
          1,
          fc.constant({ name: 'an operator gives the events up', run: (world: World) => world.operator.giveUp() }),
        ),
        command(
          1,
          fc.tuple(fc.boolean(), fc.boolean()).map(([active, moved]) => ({
            name: `saved ${active ? 'on' : 'off'}${moved ? ', a new address' : ''}`,
            run: (world) => world.operator.save(active, moved),
          })),
        ),
        command(1, fc.constant({ name: 'an older record arrives', run: (world: World) => world.operator.saveOld() })),
        {
          weight: 0.2 * 5,
          arbitrary: choice.map(
            (n) =>
              new StepCommand({
                name: n < 20 ? 'deleted' : 'nothing',
                run: async (world) => n < 20 && world.operator.remove(),
              }),
          ),
        },
        command(
          1,
          choice.map((at) => ({ name: `dead letter ${at} is redriven`, run: (world) => world.operator.redrive(at) })),
        ),
        command(1, fc.constant({ name: 'Redis has written everything', run: (world: World) => world.takeSnapshot() })),
        command(1, fc.constant({ name: 'Redis loses its last writes', run: (world: World) => world.loseWrites() })),
      ),
    ],
    { maxCommands, size: 'max' },
  );

/** With a healthy receiver and one worker, all events must become delivered, dead or dropped. */
export async function comeToRest(world: World): Promise<void> {
  for (const worker of [...world.workers]) await world.crash(worker);
  await world.operator.save(true, false);
  const worker = workerAt(world, 0);
  for (let round = 0; round < 400 && world.model.holdsAnything; round += 1) {
    await world.clockStep(2 * HOUR_MS);
    await world.endOtherLeases(worker);
    await world.beat(worker);
    await world.jobWakes('');
    await world.take(worker, true);
    for (const drain of [...worker.drains.values()]) {
      if (drain.purging) {
        await world.purge(worker, drain);
        continue;
      }
      while (drain.inFlight.size > 0) answer(world, drain, 0, 'delivered');
      await world.next(worker, drain, 4, true);
    }
    await world.compare();
  }
  if (world.model.holdsAnything) throw new Error('events wait that no worker will send');
}
