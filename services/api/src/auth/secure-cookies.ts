const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Whether `PUBLIC_URL` names plain http on the user's own machine. Only there does the session's cookie go without
 * `Secure` (docs/decisions/0059).
 */
export function isPlainLoopback(publicUrl: string | undefined): boolean {
  if (publicUrl === undefined) return false;
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'http:' && LOOPBACK.test(hostname);
}

/**
 * Why browsers would keep no session of the settings page, or why a portal link has no address. Undefined if all is
 * well.
 */
export function publicUrlWarning(publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined) {
    return 'PUBLIC_URL is not set: portal links need it, and browsers keep a session of the settings only over https';
  }
  return new URL(publicUrl).protocol === 'https:' || isPlainLoopback(publicUrl)
    ? undefined
    : 'browsers keep no session of the settings page without https: set an https PUBLIC_URL';
}
