import { unseenFault } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Request, RequestHandler } from 'express';
import { isFromTrustedProxy } from './client-address.ts';

/** No e-mail address is longer. */
const PERSON_MAX_CHARS = 254;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** What a sign-in has noted about a request at the operations port. */
export interface PersonLocals {
  /** The name that the sign-in proxy has sent. */
  readonly person?: string;
}

interface OperatorHeaderDeps {
  /** `OPERATOR_HEADER`. */
  readonly header: string;
  readonly logger: Logger;
}

/**
 * Notes the person whom a sign-in proxy in front of the operations port has signed in, for the audit log and the log.
 * The name grants nothing: each request still needs an admin token. So a request with a doubtful name is served without
 * it, and a line says why.
 */
export const notePerson =
  ({ header, logger }: OperatorHeaderDeps): RequestHandler =>
  (request, response, next) => {
    const { person, fault } = personIn(request, header);
    if (person !== undefined) Object.assign(response.locals, { person } satisfies PersonLocals);
    if (fault !== undefined)
      logger.warn('OPERATOR_HEADER was ignored', { reason: fault, header, peer: request.socket.remoteAddress });
    next();
  };

interface Found {
  readonly person?: string;
  /** The reason to ignore the header, as a sentence. */
  readonly fault?: string;
}

function personIn(request: Request, header: string): Found {
  const [value, ...more] = request.headersDistinct[header.toLowerCase()] ?? [];
  if (value === undefined || value === '') return {};
  if (!isFromTrustedProxy(request)) return { fault: 'It came from a peer that TRUST_PROXY does not name.' };
  // A client's copy and the proxy's own one. HTTP allows what is in between to join them with a comma.
  if (more.length > 0 || value.includes(','))
    return { fault: 'It was sent more than once: let the proxy overwrite it.' };
  const person = decoded(value);
  if (person === undefined) return { fault: 'It is not UTF-8.' };
  if (person.length > PERSON_MAX_CHARS) return { fault: `It has more than ${PERSON_MAX_CHARS} characters.` };
  if (CONTROL.test(person) || unseenFault(person) !== undefined)
    return { fault: 'It has control characters, or characters that nobody sees.' };
  return { person };
}

/** Node reads each byte of a header as a character. */
function decoded(value: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return undefined;
  }
}
