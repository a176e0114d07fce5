import fc from 'fast-check';
import { HOUR_MS } from './limits.ts';
import type { Lane } from './mailbox-state.ts';
import { pick } from './pick.ts';
import { answerBatch, ANSWERS } from './receiver-answers.ts';
import type { Drain, Worker } from './workers.ts';
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
const workerAt = (world: World, at: number): Worker => pick(world.workers, at) as Worker;
/** Whether the worker gets the reply to a call. True in nine of ten cases. */
const heard = fc.integer({ min: 0, max: 9 }).map((n) => n > 0);

const command = (weight: number, step: fc.Arbitrary<Step>) => ({
  weight,
  arbitrary: step.map((one) => new StepCommand(one)),
});

const withDrain =
  (at: number, run: (world: World, worker: Worker, drain: Drain) => Promise<unknown>) => async (world: World) => {
    const found = pick(world.drains(), at);
    if (found === undefined) return;
    const [worker, drain] = found;
    await (drain.isGivingUp ? world.calls.giveUpStep(worker, drain) : run(world, worker, drain));
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
              fc.constantFrom<readonly Lane[]>(['f'], ['f'], ['u'], ['f', 'u']),
              fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
              fc.boolean(),
              heard,
            )
            .map(([w, lanes, sizes, room, isHeard]) => ({
              name:
                `worker ${w % 3} appends ${sizes.join('+')} to ` +
                `${lanes.join(' and ')}${room ? '' : ', without room'}${isHeard ? '' : ', the reply is lost'}`,
              run: (world) => world.calls.append(workerAt(world, w), lanes, sizes, room, isHeard),
            })),
        ),
        command(
          1,
          fc.tuple(choice, fc.boolean()).map(([w, gone]) => ({
            name: `worker ${w % 3} appends the last chunk again${gone ? ', its job is gone' : ''}`,
            run: (world) => world.calls.appendAgain(workerAt(world, w), gone),
          })),
        ),
        command(
          5,
          fc.tuple(choice, heard).map(([w, isHeard]) => ({
            name: `worker ${w % 3} takes${isHeard ? '' : ', the reply is lost'}`,
            run: (world) => world.calls.take(workerAt(world, w), isHeard),
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
              name:
                `drain ${d}: ${answers.map(([at, how]) => `${at % 4} ${how}`).join(', ')}; next with window ` +
                `${window}${isHeard ? '' : ', the reply is lost'}`,
              run: withDrain(d, async (world, worker, drain) => {
                for (const [at, how] of answers) answerBatch(world, drain, at, how);
                await world.calls.next(worker, drain, window, isHeard);
              }),
            })),
        ),
        command(
          1,
          fc.tuple(choice).map(([d]) => ({
            name: `drain ${d} releases`,
            run: withDrain(d, async (world, worker, drain) => {
              drain.isReleasing = true;
              await world.calls.next(worker, drain, 1, true);
            }),
          })),
        ),
        command(
          3,
          choice.map((w) => ({
            name: `worker ${w % 3} sends a heartbeat`,
            run: (world) => world.calls.heartbeat(workerAt(world, w)),
          })),
        ),
        command(
          1,
          choice.map((w) => ({ name: `worker ${w % 3} dies`, run: (world) => world.faults.crash(workerAt(world, w)) })),
        ),
        command(
          2,
          choice.map((w) => ({
            name: `the lease of worker ${w % 3} ends`,
            run: (world) => world.faults.away(workerAt(world, w)),
          })),
        ),
        command(
          1,
          choice.map((w) => ({
            name: `worker ${w % 3} is away, returns while its mailboxes are searched, takes, and is away again`,
            run: async (world) => {
              await world.faults.away(workerAt(world, w));
              await world.calls.heartbeat(workerAt(world, w + 1));
              await world.calls.heartbeat(workerAt(world, w));
              await world.calls.take(workerAt(world, w), true);
              await world.faults.away(workerAt(world, w));
            },
          })),
        ),
        command(
          1,
          fc.constant({
            name: 'two workers die together',
            run: async (world: World) => {
              await world.faults.crash(workerAt(world, 0));
              await world.faults.crash(workerAt(world, 1));
            },
          }),
        ),
        command(2, fc.constant({ name: 'orphans are put back', run: (world: World) => world.faults.returnOrphans() })),
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
          2,
          fc.constantFrom(HOUR_MS, -HOUR_MS, 96 * HOUR_MS).map((byMs) => ({
            name: `the clock steps by ${byMs / HOUR_MS} h`,
            run: (world) => world.faults.clockStep(byMs),
          })),
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
                name: n < 20 ? 'deleted' : n >= 80 ? 'the store has it again' : 'nothing',
                run: (world) =>
                  n < 20 ? world.operator.remove() : n >= 80 ? world.operator.bringBack() : Promise.resolve(),
              }),
          ),
        },
        command(
          1,
          choice.map((at) => ({ name: `dead letter ${at} is redriven`, run: (world) => world.operator.redrive(at) })),
        ),
        command(
          2,
          fc.tuple(choice, fc.boolean(), fc.boolean()).map(([at, keeps, late]) => ({
            name: `${keeps ? 'half' : 'all'} of the events of entry ${at} are erased${late ? ', read before' : ''}`,
            run: (world) => world.erase.waiting(at, keeps, late),
          })),
        ),
        command(
          1,
          fc.tuple(choice, fc.boolean()).map(([at, keeps]) => ({
            name: `${keeps ? 'half' : 'all'} of the events of resend ${at} are erased`,
            run: (world) => world.erase.resend(at, keeps),
          })),
        ),
        command(
          1,
          fc.tuple(choice, fc.boolean(), heard).map(([at, keeps, isHeard]) => ({
            name:
              `${keeps ? 'half' : 'all'} of the events of dead letter ${at} are ` +
              `erased${isHeard ? '' : ', read before'}`,
            run: (world) => world.erase.dead(at, keeps, !isHeard),
          })),
        ),
        command(
          2,
          fc.constant({ name: 'Redis has written everything', run: (world: World) => world.faults.takeSnapshot() }),
        ),
        command(
          2,
          fc.constant({ name: 'Redis loses its last writes', run: (world: World) => world.faults.loseWrites() }),
        ),
      ),
    ],
    { maxCommands, size: 'max' },
  );
