'use strict';

/** A transformer for libraries: node loads each of them once per worker, instead of jest once per test file. */
module.exports = {
  getCacheKey: (_source, file) => `library ${file}`,
  process: (_source, file) => ({ code: `module.exports = requireLibrary(${JSON.stringify(file)});` }),
};
