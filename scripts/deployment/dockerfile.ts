export interface Instruction {
  readonly name: string;
  readonly argument: string;
}

/** The instructions of a Dockerfile, one a line, continuations joined, comments left out. */
export const readInstructions = (text: string): Instruction[] =>
  text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...words] = line.split(' ');
      return { name, argument: words.join(' ') };
    });

/** Whether a path of the build's context enters the build, by a `.dockerignore` of whole names: the last line that matches counts. */
export function entersBuild(dockerignore: string, file: string): boolean {
  let enters = true;
  for (const line of dockerignore.split('\n').map((text) => text.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const isBack = line.startsWith('!');
    const pattern = isBack ? line.slice(1) : line;
    if (matches(pattern, file)) enters = isBack;
  }
  return enters;
}

/** A pattern covers a path, and all that is below it. */
function matches(pattern: string, file: string): boolean {
  const isAnywhere = pattern.startsWith('**/');
  const name = (isAnywhere ? pattern.slice(3) : pattern)
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*');
  return new RegExp(`^${isAnywhere ? '(.*/)?' : ''}${name}(/.*)?$`).test(file);
}
