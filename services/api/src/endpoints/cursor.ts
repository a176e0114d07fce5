import { createHash } from 'node:crypto';
import { invalid } from '@mailhook/platform/http-server';

/**
 * The cursors of one list of one caller. The text that the API gives out ends in a check sum of the list, the account
 * and the place in the list, so that a cursor of another list or account, a cut one and an invented one are noticed.
 */
export interface Cursors {
  write(place: string): string;
  /** Reads what `write` wrote. @throws the problem 422 for any other text. */
  read(cursor: string): string;
}

const CHECK_CHARS = 8;

export function cursorsOf(operationId: string, account: string): Cursors {
  const write = (place: string): string => {
    const sum = createHash('sha256')
      .update(JSON.stringify([operationId, account, place]))
      .digest('base64url');
    return `${place}~${sum.slice(0, CHECK_CHARS)}`;
  };
  return {
    write,
    read(cursor) {
      const place = cursor.slice(0, -CHECK_CHARS - 1);
      if (write(place) === cursor) return place;
      throw invalid([
        { path: 'cursor', message: 'must be the nextCursor of this list, unchanged; leave it out for the first page' },
      ]);
    },
  };
}
