'use strict';

// A coded text (packages/core) equals its English sentence, as it does in JSON.
const isCoded = (value) => value?.constructor?.name === 'CodedText';
const textOf = (value) => (isCoded(value) ? String(value) : value);
expect.addEqualityTesters([
  (a, b) => (isCoded(a) || isCoded(b) ? typeof textOf(a) === 'string' && textOf(a) === textOf(b) : undefined),
]);
