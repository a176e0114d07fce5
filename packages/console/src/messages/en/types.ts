import { EVENT_TYPES, forEachName } from '@mailhook/core';

/** What each type of event means. The table of core says it in English. */
export const types = forEachName(EVENT_TYPES, (name): string => EVENT_TYPES[name].meaning);

/** Several events of each type, as objects of a sentence. */
export const several = forEachName(EVENT_TYPES, (name): string => EVENT_TYPES[name].several);
