/** A number such as `1,204`. */
export const count = (value: number): string => value.toLocaleString('en-US');

export const plural = (value: number, one: string, many: string): string =>
  `${count(value)} ${value === 1 ? one : many}`;
