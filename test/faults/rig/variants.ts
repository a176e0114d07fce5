/**
 * All variants with `FAULTS=long`, as in the nightly run. `npm test` takes the first `count`, so the most different
 * ones come first.
 */
export const variants = <Variant>(all: readonly Variant[], count: number): readonly Variant[] =>
  process.env['FAULTS'] === 'long' ? all : all.slice(0, count);
