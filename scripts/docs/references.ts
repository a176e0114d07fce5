/** Finds the npm scripts that a document names and that do not exist: `npm run NAME`, `npm start`, `npm test`. */
export function unknownScripts(text: string, scripts: readonly string[]): string[] {
  const named = [...text.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g)].map(
    ([, script, short]) => script ?? short ?? '',
  );
  return [...new Set(named)].filter((name) => !scripts.includes(name)).map((name) => `npm run ${name}`);
}

/**
 * Finds API paths, such as `/v3/webhook/secrets/$ID`, that are not in `paths` of the API's document. The beginning of a
 * path is accepted.
 */
export function unknownPaths(text: string, paths: readonly string[]): string[] {
  const named = [...text.matchAll(/\/v3(?:\/[\w${}-]+)*/g)].map(([path]) => path);
  return [...new Set(named)].filter((path) => !paths.some((known) => isBeginningOf(path, known)));
}

function isBeginningOf(path: string, known: string): boolean {
  const wanted = known.split('/').filter((part) => part !== '');
  const parts = path.split('/').filter((part) => part !== '');
  return parts.every((part, at) => part === wanted[at] || (isVariable(part) && isVariable(wanted[at] ?? '')));
}

const isVariable = (part: string): boolean => /^[{$]/.test(part);
