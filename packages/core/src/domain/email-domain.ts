import { isUrl } from './is-url.ts';
const PLAIN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** A domain in lower case and as ASCII (`xn--`), without a trailing dot. Undefined for what is no domain. */
export function domainOfName(name: string): string | undefined {
  const lower = name.toLowerCase().replace(/\.$/, '');
  if (PLAIN.test(lower)) return lower;
  // Characters with a meaning in a URL would end the host early.
  if (/[\s/\\?#@:%[\]]/.test(lower) || !isUrl(`http://${lower}`)) return undefined;
  const { hostname } = new URL(`http://${lower}`);
  return PLAIN.test(hostname) ? hostname : undefined;
}

/** The domain of an e-mail address: what follows its last `@`. Undefined without one. */
export function emailDomain(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  return at === -1 ? undefined : domainOfName(email.slice(at + 1));
}

/** Addresses that differ only in case belong to one recipient. */
export const emailKey = (email: string): string => email.trim().toLowerCase();
