import { compileFilter, destinationIdOf, eventOfFields, isVersion1, typesIn } from '@mailhook/core';
import type { EventTypeName, LoggedFields, Passes, ReplayInput, Route, ShownDestination } from '@mailhook/core';
import type { LogQuery } from '@mailhook/event-log';

/** What a replay to a destination takes from the log, and how it leaves, by the settings of this moment. */
export interface ReplayQuery {
  readonly query: LogQuery;
  readonly route: Route;
  /** The filter of the destination, if it counts. The log cannot decide it. */
  readonly passes: ((event: LoggedFields) => boolean) | undefined;
}

/** @param untilMs what was accepted later may not be complete yet. */
export function replayQuery(
  account: string,
  { id: publicId, module, types, version, shape, filter }: ShownDestination,
  input: ReplayInput,
  untilMs: number,
): ReplayQuery {
  const id = destinationIdOf(account, publicId);
  const all = typesIn(module, types).filter((type) => version === 2 || isVersion1(module, type));
  const wanted: readonly EventTypeName[] =
    input.types === undefined ? all : all.filter((type) => input.types?.includes(type));
  const toMs = input.to === undefined ? untilMs : Math.min(Date.parse(input.to), untilMs);
  const passes: Passes | undefined = input.filter === true && filter !== null ? compileFilter(filter) : undefined;
  return {
    query: {
      account,
      module,
      types: wanted,
      fromMs: input.from === undefined ? undefined : Date.parse(input.from),
      toMs,
      missedBy:
        input.outcome === undefined || input.outcome === 'all' ? undefined : { destination: id, how: input.outcome },
    },
    route: { id, version, ...(version === 2 ? { isSingle: shape === 'single' } : {}) },
    passes: passes && ((event) => passes(eventOfFields(event))),
  };
}
