/** Finds the commands that a document names and that do not exist: `npx mailhook NAME`. */
export function unknownCommands(text: string, commands: readonly string[]): string[] {
  const named = [...text.matchAll(/npx mailhook (\w[\w-]*)/g)].map(([, name = '']) => name);
  return [...new Set(named)].filter((name) => !commands.includes(name)).map((name) => `npx mailhook ${name}`);
}

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

/**
 * Returns a function that finds the files and folders that a document names and that are not among `files`. A name is a
 * path from the root anywhere in the text, or in code text the end of a path, such as `store/keys.ts`, also without
 * `src/` and `.ts`, or a folder. `*` stands for any text within a name. Names without a slash count only with the
 * extension of a source.
 */
export function createFileCheck(files: readonly string[]): (text: string) => string[] {
  const known = new Set(files.flatMap(namesOf));
  const roots = new Set(
    files.filter((file) => file.includes('/')).map((file) => file.replace(/\/.*/, '').replaceAll('.', '\\.')),
  );
  const fromRoot = new RegExp(`(?<![\\w./\\\\-])(?:${[...roots].join('|')})(?:/[\\w*-]+(?:\\.[\\w*-]+)*)+`, 'g');
  return (text) => {
    const inCode = [...text.matchAll(/`([\w.*-]+(?:\/[\w.*-]+)*)\/?`/g)].map(([, name = '']) => name);
    const ends = inCode.filter((name) => /^[a-z*]/.test(name) && /\/|\.(?:ts|lua|css)$/.test(name));
    const named = new Set([...ends, ...[...text.matchAll(fromRoot)].map(([name]) => name)]);
    return [...named].filter((name) => !OTHER.test(name) && !isKnown(name, known));
  };
}

/** Names with a slash that are no files of the project: what a build makes, an ellipsis, media types, and hosts. */
const OTHER = /(?:^|\/)(?:dist|node_modules|\.\.\.)(?:\/|$)|^(?:application|text|\w[\w-]*\.[\w.-]+)\//;

function isKnown(name: string, known: ReadonlySet<string>): boolean {
  if (!name.includes('*')) return known.has(name);
  const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
  return [...known].some((one) => pattern.test(one));
}

/** All ends of the paths of a file and of its folders, each also without `src/` and without `.ts`. */
function namesOf(file: string): string[] {
  const forms = [file, file.replace('/src/', '/')].flatMap((form) => [form, form.replace(/\.ts$/, '')]);
  return forms.flatMap((form) => {
    const parts = form.split('/');
    return parts.flatMap((_, from) => parts.slice(from).map((_one, i) => parts.slice(from, from + i + 1).join('/')));
  });
}
