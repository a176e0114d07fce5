/** Whether browsers take a cookie with `Secure` from this URL: by https, and from the user's own machine. */
export function takesSecureCookies(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
