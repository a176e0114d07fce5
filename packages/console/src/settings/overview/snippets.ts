import type { Sample } from '../../html/code-tabs.ts';

/** Code of the guides that the pages show, in each language. */
export interface Snippets {
  /** Verify a signature (Standard Webhooks), with several secrets. */
  readonly verify: readonly Sample[];
  /** Complete servers that take batches and notifications. */
  readonly receiver: readonly Sample[];
}

const LANGUAGES = [
  { name: 'Node.js', extension: 'mjs' },
  { name: 'Python', extension: 'py' },
  { name: 'PHP', extension: 'php' },
] as const;

/**
 * Each snippet is a file of the guides, which a test runs, and needs no library.
 *
 * @param files the files in `docs/guides/receivers`, by name.
 * @throws when a file is missing.
 */
export function createSnippets(files: ReadonlyMap<string, string>): Snippets {
  const samples = (program: keyof Snippets): readonly Sample[] =>
    LANGUAGES.map(({ name, extension }) => {
      const code = files.get(`${program}.${extension}`);
      if (code === undefined) throw new Error(`docs/guides/receivers has no file ${program}.${extension}`);
      return { name, code };
    });
  return { verify: samples('verify'), receiver: samples('receiver') };
}
