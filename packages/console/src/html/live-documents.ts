import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Response } from 'express';

const pack = promisify(gzip);

/** For the last documents, which open windows still have. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** New text, or pieces of the base: from the first to before the last. `assets/updates.js` puts them together again. */
type Change = string | readonly [first: number, last: number];

/** An element's start or end with the text behind it. */
const piecesOf = (document: string): readonly string[] => document.split(/(?=<)/);

/** Pieces repeat, so the longest run of pieces that follow decides which place is meant, up to this length. */
const RUN_MAX = 16;

/** How a document comes from the pieces of another one. */
export function changesOf(base: string, document: string): readonly Change[] {
  const [before, after] = [piecesOf(base), piecesOf(document)];
  const places = new Map<string, number[]>();
  for (const [i, piece] of before.entries()) {
    const same = places.get(piece);
    if (same === undefined) places.set(piece, [i]);
    else same.push(i);
  }
  const changes: (string | [number, number])[] = [];
  let next = 0;
  const placeOf = (i: number): number | undefined => {
    let [best, longest]: [number | undefined, number] = [undefined, 0];
    for (const place of places.get(after[i] ?? '') ?? []) {
      if (longest === RUN_MAX) break;
      if (before[place + longest] !== after[i + longest]) continue;
      let run = 1;
      while (run < RUN_MAX && i + run < after.length && before[place + run] === after[i + run]) run += 1;
      if (run > longest) [best, longest] = [place, run];
    }
    return best;
  };
  for (const [i, piece] of after.entries()) {
    const last = changes.at(-1);
    const place = before[next] === piece ? next : placeOf(i);
    if (place !== undefined && typeof last === 'object' && last[1] === place) last[1] += 1;
    else if (place !== undefined) changes.push([place, place + 1]);
    else if (typeof last === 'string') changes[changes.length - 1] = last + piece;
    else changes.push(piece);
    next = place === undefined ? next : place + 1;
  }
  return changes;
}

/**
 * What the script of a page needs of an answer that no browser shows. The rest is a kilobyte, every five seconds.
 */
const NEEDED_HEADERS: readonly string[] = [
  'cache-control',
  'content-type',
  'etag',
  'vary',
  'x-content-type-options',
  'x-request-id',
];

function removeOtherHeaders(response: Response): void {
  for (const name of response.getHeaderNames()) if (!NEEDED_HEADERS.includes(name)) response.removeHeader(name);
}

interface Kept {
  readonly document: string;
  /** In gzip, once somebody has asked for it. */
  packed?: Promise<Buffer>;
}

/**
 * Answers windows that ask for the same document every few seconds: with nothing while it is the one that they have, or
 * else with what has changed. Answers are packed, so no document may hold a secret, which their length could show.
 */
export class LiveDocuments {
  /** By ETag, those sent last at the end. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  async send(response: Response, status: number, document: string): Promise<void> {
    const { req: request } = response;
    const had = request.get('if-none-match') ?? '';
    const tag = `W/"${createHash('sha256').update(document).digest('base64url')}"`;
    response.status(status).set({ etag: tag, 'content-type': 'text/html; charset=utf-8' });
    response.vary('Accept, Accept-Encoding');
    const base = request.accepts(['html', 'json']) === 'json' ? this.#kept.get(had) : undefined;
    const kept = this.#keep(tag, document);
    if (had === tag || base !== undefined) removeOtherHeaders(response);
    if (had === tag) {
      response.status(304).end();
      return;
    }
    if (base !== undefined) response.type('json');
    const changes = base === undefined ? undefined : JSON.stringify(changesOf(base.document, document));
    if (request.acceptsEncodings('gzip') !== 'gzip') {
      response.end(changes ?? document);
      return;
    }
    response.set('content-encoding', 'gzip');
    response.end(await (changes === undefined ? (kept.packed ??= pack(document)) : pack(changes)));
  }

  #keep(tag: string, document: string): Kept {
    const known = this.#kept.get(tag);
    if (known === undefined) this.#bytes += document.length;
    const kept = known ?? { document };
    this.#kept.delete(tag);
    this.#kept.set(tag, kept);
    for (const [oldest, one] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= one.document.length;
    }
    return kept;
  }
}
