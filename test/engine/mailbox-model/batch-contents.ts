import type { Name } from './mailbox-state.ts';
import { must } from './violation.ts';

/** The contents of all batches, by id. Redis may forget them, but a receiver does not. */
export class BatchContents {
  readonly #contents = new Map<string, string>();

  /** Checks that an id never names two contents. */
  see(id: string, events: readonly Name[]): void {
    const content = events.join('\n');
    must((this.#contents.get(id) ?? content) === content, `id ${id} names two contents`);
    this.#contents.set(id, content);
  }
}
