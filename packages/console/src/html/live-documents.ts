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

/** How a document comes from the pieces of another one. */
export function changesOf(base: string, document: string): readonly Change[] {
  const pieces = piecesOf(base);
  const places = new Map<string, number[]>();
  for (const [i, piece] of pieces.entries()) {
    const same = places.get(piece);
    if (same === undefined) places.set(piece, [i]);
    else same.push(i);
  }
  const changes: (string | [number, number])[] = [];
  let next = 0;
  for (const piece of piecesOf(document)) {
    const last = changes.at(-1);
    const place = pieces[next] === piece ? next : placeNear(places.get(piece) ?? [], next);
    if (place !== undefined && typeof last === 'object' && last[1] === place) last[1] += 1;
    else if (place !== undefined) changes.push([place, place + 1]);
    else if (typeof last === 'string') changes[changes.length - 1] = last + piece;
    else changes.push(piece);
    next = place === undefined ? next : place + 1;
  }
  return changes;
}

/** Pieces repeat, and what follows is mostly what followed before. */
const placeNear = (places: readonly number[], next: number): number | undefined =>
  places.find((place) => place >= next) ?? places[0];

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
