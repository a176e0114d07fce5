/** A number such as `1,204`. */
export const formatCount = (value: number): string => value.toLocaleString('en-US');

/** A count with its noun, such as `1,204 events`. */
export const plural = (value: number, one: string, many: string): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;
