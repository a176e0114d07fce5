import type { DeliveryAttempt, EventTrace, EventTraces } from '@mailhook/core';
import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { said } from '../../messages/coded.ts';
import type { Around } from '../../messages/catalog.ts';
import { texts } from '../../messages/texts.ts';

/** One step in an event's history: a sentence, and its time (ISO 8601) if it is known. */
export interface Step {
  readonly text: Content;
  readonly at?: string | undefined;
  /** `warn`: a failure that Mailhook may still repair by a further attempt. */
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
}

/** The steps of one event at one destination. */
export interface EventSteps {
  /** A public id. */
  readonly destination: string;
  readonly steps: readonly Step[];
}

/** Attempts of a lookup are no tests, so each is of an endpoint. */
const endpointOf = ({ destination }: DeliveryAttempt): string => destination ?? 'campaign';

/** What happened to an event, by destination, with the steps in order. Empty if the event is unknown. */
export function eventStepsOf({ items, attempts }: EventTraces): EventSteps[] {
  const destinations = [...new Set([...items.map(({ destination }) => destination), ...attempts.map(endpointOf)])];
  return destinations.map((destination) => {
    const traces = items.filter((trace) => trace.destination === destination);
    const acceptedAt = traces.find((trace) => trace.acceptedAt !== undefined)?.acceptedAt;
    const tried = attempts.filter((attempt) => endpointOf(attempt) === destination).toReversed();
    const accepted: Step[] =
      acceptedAt === undefined ? [] : [{ text: texts.events.accepted, at: acceptedAt, tone: 'plain' }];
    // Omit states that the last attempt already shows.
    const states = traces.filter(({ state }) => tried.length === 0 || (state !== 'delivered' && state !== 'failed'));
    return {
      destination,
      steps: [
        ...accepted,
        ...tried.map((one) => stepOf(one)),
        ...states.map((trace) => stateOf(trace, tried.length > 0)),
      ],
    };
  });
}

/** What a step shows of an attempt. */
type Tried = Pick<
  DeliveryAttempt,
  'attempt' | 'events' | 'status' | 'time' | 'httpStatus' | 'durationMs' | 'unconfirmed' | 'error'
>;

/** An attempt as a step of the events that it carried. `link` puts its name into a link. */
export function stepOf(tried: Tried, link: Around = (words) => html`${words}`): Step {
  const { attempt, events, status, time } = tried;
  const result = status === 'delivered' ? confirmation(tried) : failure(tried);
  return {
    text:
      events > 1
        ? texts.events.attemptInBatch({ attempt, events, result, link })
        : texts.events.attempt({ attempt, result, link }),
    at: time,
    tone: status === 'delivered' ? 'good' : 'warn',
  };
}

function confirmation({ httpStatus, durationMs, unconfirmed = 0 }: Tried): Content {
  const ms = Math.round(durationMs);
  const confirmed =
    httpStatus === undefined ? texts.events.confirmed({ ms }) : texts.events.confirmedWith({ status: httpStatus, ms });
  return [confirmed, unconfirmed > 0 && [' ', texts.events.othersUnconfirmed({ unconfirmed })]];
}

function failure({ durationMs, error }: Tried): Content {
  const ms = Math.round(durationMs);
  return error === undefined ? texts.events.failed({ ms }) : texts.events.failedWith({ ms, error: said(error) });
}

/** @param isWhyTold whether the attempts before this step already show why the event failed. */
function stateOf(
  { state, attempts, nextAttemptAt, deliveredAt, discardedAt, error }: EventTrace,
  isWhyTold: boolean,
): Step {
  const { events } = texts;
  const next = { attempt: attempts + 1 };
  switch (state) {
    case 'waiting':
      return { text: events.waits, tone: 'plain' };
    case 'in_flight':
      return { text: events.inProgress({ attempt: attempts }), tone: 'plain' };
    case 'resend':
      return nextAttemptAt === undefined
        ? { text: events.due(next), tone: 'plain' }
        : { text: events.scheduled(next), at: nextAttemptAt, tone: 'plain' };
    case 'dead':
      return {
        text:
          isWhyTold || error === undefined
            ? events.givenUp({ attempts })
            : events.givenUpWith({ attempts, error: said(error) }),
        tone: 'bad',
      };
    case 'delivered':
      return { text: events.delivered, at: deliveredAt, tone: 'good' };
    case 'failed':
      if (discardedAt !== undefined) return { text: texts.eventLog.wasDiscarded, at: discardedAt, tone: 'bad' };
      return { text: events.newestFailed, tone: 'warn' };
  }
}
