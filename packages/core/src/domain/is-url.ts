/**
 * Whether a text is a URL. `URL.canParse` of Node 20 says no to `https://bücher.example/` once it has been called some
 * thousand times.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    return new URL(text, base).href !== '';
  } catch {
    return false;
  }
}
