/** All variants with `FAULTS=long`, as every night. `npm test` takes the first `count`, so the list begins with those that differ most. */
export const variants = <Variant>(all: readonly Variant[], count: number): readonly Variant[] =>
  process.env['FAULTS'] === 'long' ? all : all.slice(0, count);
