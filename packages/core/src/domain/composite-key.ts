/** One text for several values. Different values give different texts, whatever characters they hold. */
export const compositeKey = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);
