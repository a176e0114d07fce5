/**
 * Replaces the text between `<!-- NAME: generated ... -->` and `<!-- /NAME -->`. @throws Error when the markers are
 * missing.
 */
export function replaceSection(document: string, name: string, content: string): string {
  const pattern = new RegExp(`(<!-- ${name}: [^>]*-->)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!pattern.test(document)) throw new Error(`there are no markers of the section "${name}"`);
  return document.replace(pattern, (_, open: string, close: string) => `${open}\n\n${content}\n\n${close}`);
}
