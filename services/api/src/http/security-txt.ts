import type { RequestHandler } from 'express';

/** Where researchers look for the contact of a site (RFC 9116). */
export const SECURITY_TXT_PATH = '/.well-known/security.txt';

interface SecurityTxtOptions {
  /** A `mailto:` or `https:` URL. */
  readonly contact: string;
  readonly publicUrl: string | undefined;
  readonly language: string;
}

const DAY_MS = 86_400_000;
/** The RFC recommends less than a year. The file is made anew for each request, so it never expires while served. */
const VALID_DAYS = 180;

/** Serves the file, which caches may keep for a day. */
export const serveSecurityTxt =
  (options: SecurityTxtOptions): RequestHandler =>
  (_request, response) => {
    response
      .set('cache-control', `public, max-age=${DAY_MS / 1000}`)
      .type('text/plain')
      .send(textOf(options));
  };

function textOf({ contact, publicUrl, language }: SecurityTxtOptions): string {
  // The end of a day, so that all replicas answer the same.
  const endMs = (Math.floor(Date.now() / DAY_MS) + VALID_DAYS) * DAY_MS;
  const own = publicUrl === undefined ? undefined : new URL(SECURITY_TXT_PATH, publicUrl);
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${new Date(endMs).toISOString().replace('.000', '')}`,
    `Preferred-Languages: ${[...new Set([language, 'en'])].join(', ')}`,
    // The RFC allows https only.
    ...(own?.protocol === 'https:' ? [`Canonical: ${own.href}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
