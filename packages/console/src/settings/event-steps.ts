import type { DeliveryAttempt, EventTrace, EventTraces } from '@mailhook/core';

/** One step in an event's history: a sentence, and its time (ISO 8601) if it is known. */
export interface Step {
  readonly text: string;
  readonly at?: string | undefined;
  readonly tone: 'good' | 'bad' | 'plain';
}

/** The steps of one event at one destination. */
export interface EventSteps {
  /** A subscription's id, or `campaign`. */
  readonly destination: string;
  readonly steps: readonly Step[];
}

/** What happened to an event, by destination, with the steps in order. Empty if the event is unknown. */
export function eventStepsOf({ items, attempts }: EventTraces): EventSteps[] {
  const destinations = [...new Set([...items.map(({ destination }) => destination), ...attempts.map(destinationOf)])];
  return destinations.map((destination) => {
    const traces = items.filter((trace) => trace.destination === destination);
    const acceptedAt = traces.find((trace) => trace.acceptedAt !== undefined)?.acceptedAt;
    const tried = attempts.filter((attempt) => destinationOf(attempt) === destination).toReversed();
    const accepted: Step[] =
      acceptedAt === undefined ? [] : [{ text: 'Accepted by Mailhook', at: acceptedAt, tone: 'plain' }];
    // Omit states that the last attempt already shows.
    const states = traces.filter(({ state }) => tried.length === 0 || (state !== 'delivered' && state !== 'failed'));
    return {
      destination,
      steps: [...accepted, ...tried.map(stepOf), ...states.flatMap((trace) => stateOf(trace, tried.length > 0))],
    };
  });
}

const destinationOf = ({ subscription }: DeliveryAttempt): string => subscription ?? 'campaign';

/** An attempt as a step of the events that it carried. */
export function stepOf(tried: DeliveryAttempt): Step {
  const { attempt, events, status, httpStatus, durationMs, error, time, unconfirmed = 0 } = tried;
  const company = events > 1 ? ` in a batch of ${events} events` : '';
  const took = `after ${Math.round(durationMs)} ms`;
  const others =
    unconfirmed === 1 ? '1 other event of this batch was' : `${unconfirmed} other events of this batch were`;
  const result =
    status === 'delivered'
      ? `confirmed${httpStatus === undefined ? '' : ` with HTTP ${httpStatus}`} ${took}${unconfirmed === 0 ? '' : ` (${others} not)`}`
      : `failed ${took}${error === undefined ? '' : `: ${error}`}`;
  return {
    text: `Attempt ${attempt}${company}: ${result}`,
    at: time,
    tone: status === 'delivered' ? 'good' : 'bad',
  };
}

/** @param isWhyTold whether the attempts before this step already show why the event failed. */
function stateOf({ state, attempts, nextAttemptAt, deliveredAt, error }: EventTrace, isWhyTold: boolean): Step[] {
  switch (state) {
    case 'waiting':
      return [{ text: 'Waits for its first attempt', tone: 'plain' }];
    case 'in_flight':
      return [{ text: `Attempt ${attempts} is in progress`, tone: 'plain' }];
    case 'resend':
      return nextAttemptAt === undefined
        ? [{ text: `Attempt ${attempts + 1} is due`, tone: 'plain' }]
        : [{ text: `Attempt ${attempts + 1} is scheduled`, at: nextAttemptAt, tone: 'plain' }];
    case 'dead': {
      const times = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
      const why = isWhyTold || error === undefined ? '' : `: ${error}`;
      return [{ text: `Given up after ${times}${why}. It is among the dead letters`, tone: 'bad' }];
    }
    case 'delivered':
      return [{ text: 'Delivered', at: deliveredAt, tone: 'good' }];
    case 'failed':
      return [{ text: 'The newest attempt failed, and nothing more is scheduled', tone: 'bad' }];
  }
}
