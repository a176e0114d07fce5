import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** Sends lines as a CSV file of this name. Resolves when the client has them all. */
export const csvTo =
  (response: Response, name: string) =>
  (lines: AsyncIterable<Uint8Array | string>): Promise<void> => {
    response.set('content-type', 'text/csv; charset=utf-8');
    response.set('content-disposition', `attachment; filename="${name}"`);
    return pipeline(lines, response);
  };
