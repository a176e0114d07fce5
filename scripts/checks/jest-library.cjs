'use strict';

const codeFor = (file) => `module.exports = requireLibrary(${JSON.stringify(file)});`;

/** A transformer for libraries: node loads each of them once per worker, instead of jest once per test file. */
module.exports = {
  getCacheKey: (_source, file) => codeFor(file),
  process: (_source, file) => ({ code: codeFor(file) }),
};
