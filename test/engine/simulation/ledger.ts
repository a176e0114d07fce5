import { must } from './violation.ts';

/** What producers and receivers know: accepted events, deliveries, and the content of each webhook-id. */
export class Ledger {
  readonly #accepted = new Map<string, { readonly destination: string; readonly atMs: number }>();
  /** By destination: when an event arrived for the first time. */
  readonly #lastMs = new Map<string, number>();
  readonly #delivered = new Map<string, number>();
  readonly #contents = new Map<string, string>();

  accept(event: string, destination: string, atMs: number): void {
    this.#accepted.set(event, { destination, atMs });
  }

  /** A request begins. Checks that its id never names two contents. */
  request(webhookId: string, content: string): void {
    const known = this.#contents.get(webhookId) ?? content;
    must(known === content, `${webhookId} names two contents: ${known} and ${content}`);
    this.#contents.set(webhookId, content);
  }

  deliver(event: string, nowMs: number): void {
    const accepted = this.#accepted.get(event);
    // Of a chunk that fails, nothing is expected.
    if (accepted === undefined) return;
    const times = this.#delivered.get(event) ?? 0;
    if (times === 0) this.#lastMs.set(accepted.destination, nowMs);
    this.#delivered.set(event, times + 1);
  }

  /** Redis has lost its writes of this time. Nothing is expected of what was accepted then. */
  forget(fromMs: number, toMs: number): void {
    this.#hasForgotten = true;
    for (const [event, { atMs }] of this.#accepted) if (atMs >= fromMs && atMs <= toMs) this.#lost.add(event);
  }
  readonly #lost = new Set<string>();
  #hasForgotten = false;

  /** Whether Redis has lost writes. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  /** Accepted events that have not arrived. */
  missing(): readonly string[] {
    return [...this.#accepted.keys()].filter((event) => !this.#delivered.has(event) && !this.#lost.has(event));
  }

  /** Events that have not arrived, of destinations where nothing has arrived since a time. */
  stuckSince(ms: number): readonly string[] {
    return this.missing().filter((event) => {
      const { destination = '', atMs = 0 } = this.#accepted.get(event) ?? {};
      return Math.max(atMs, this.#lastMs.get(destination) ?? 0) < ms;
    });
  }

  /** Events that have arrived more than once. */
  repeated(): readonly string[] {
    return [...this.#delivered].filter(([, times]) => times > 1).map(([event]) => event);
  }

  get accepted(): number {
    return this.#accepted.size;
  }
}
