export interface Snippet {
  readonly id: 'node' | 'python' | 'php';
  readonly name: string;
  readonly code: string;
}

const LANGUAGES = [
  { id: 'node', name: 'Node.js', file: 'verify.mjs' },
  { id: 'python', name: 'Python', file: 'verify.py' },
  { id: 'php', name: 'PHP', file: 'verify.php' },
] as const;

/**
 * Examples that verify a signature (Standard Webhooks). Each is a file of the guides, which a test runs. It is
 * complete, needs no library, and takes several secrets.
 *
 * @param files the files in `docs/guides/receivers`, by name.
 * @throws when a file is missing.
 */
export const createSnippets = (files: ReadonlyMap<string, string>): readonly Snippet[] =>
  LANGUAGES.map(({ id, name, file }) => {
    const code = files.get(file);
    if (code === undefined) throw new Error(`docs/guides/receivers has no file ${file}`);
    return { id, name, code };
  });
