/** The engine did what it must not do. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function must(isTrue: boolean, otherwise: string): asserts isTrue {
  if (!isTrue) throw new Violation(otherwise);
}
