export interface Instruction {
  readonly name: string;
  readonly argument: string;
}

/** Reads the instructions of a Dockerfile. Joins continuation lines and leaves out comments. */
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

/**
 * Returns true if a path of the build context enters the build. The last line of `.dockerignore` that matches decides.
 */
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

/** A pattern matches a path and everything below it. */
function matches(pattern: string, file: string): boolean {
  const isAnywhere = pattern.startsWith('**/');
  const name = (isAnywhere ? pattern.slice(3) : pattern)
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*');
  return new RegExp(`^${isAnywhere ? '(.*/)?' : ''}${name}(/.*)?$`).test(file);
}
