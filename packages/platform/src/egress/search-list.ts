import { readFileSync } from 'node:fs';
import type { Resolve } from './resolve.ts';

/** The search list of the system's resolver. */
export interface SearchList {
  readonly domains: readonly string[];
  /** A name with fewer dots is tried with the domains first. */
  readonly ndots: number;
}

/** Reads resolv.conf(5). Without the file, the list is empty. */
export function readSearchList(path = '/etc/resolv.conf'): SearchList {
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of linesOf(path)) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    // The last line counts.
    if (keyword === 'search' || keyword === 'domain') domains = values;
    const option = values.find((value) => keyword === 'options' && /^ndots:\d+$/.test(value));
    if (option !== undefined) ndots = Number(option.slice('ndots:'.length));
  }
  return { domains, ndots };
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}

const UNKNOWN: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];
/** Whether an error of a lookup means that there is no address for the name. */
export const hasNoAddress = (error: unknown): boolean => UNKNOWN.includes(Reflect.get(Object(error), 'code'));

/**
 * Resolves short names like the system does, which c-ares does not: with the domains of the search list. A name with a
 * dot at its end is whole. Only for names that the operator has chosen, such as the proxy's.
 */
export const withSearchList =
  (resolve: Resolve, { domains, ndots }: SearchList): Resolve =>
  async (hostname) => {
    const longer = hostname.endsWith('.') ? [] : domains.map((domain) => `${hostname}.${domain}`);
    const isWholeFirst = hostname.split('.').length > ndots;
    const names = isWholeFirst ? [hostname, ...longer] : [...longer, hostname];
    let failure: unknown;
    for (const name of names) {
      try {
        return await resolve(name);
      } catch (error) {
        if (!hasNoAddress(error)) throw error;
        failure = error;
      }
    }
    throw failure;
  };
