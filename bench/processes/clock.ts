/** Milliseconds on a clock that all processes of a machine share and that nobody can set. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
