import fc from 'fast-check';
import { comeToRest } from './come-to-rest.ts';
import type { World } from './world.ts';

/** Most steps of a run. */
export const COMMANDS = 80;

/** Takes steps until all is over, and checks each. Rejects with a Violation if one was wrong. */
export async function play(world: World, commands: Iterable<fc.AsyncCommand<World, World>>): Promise<void> {
  try {
    await world.start();
    await fc.asyncModelRun(() => ({ model: world, real: world }), commands);
    await comeToRest(world);
  } finally {
    await world.clear();
  }
}
