'use strict';
const { createRequire } = require('node:module');
const path = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** What each test file loads anew: the modules of the project, and jest-circus, which holds the tests of the file. */
const OF_A_FILE = /^(?!.*\/node_modules\/).*\.ts$|\/node_modules\/jest-circus\//;
const TO_COMMONJS = {
  isInternalModule: false,
  supportsDynamicImport: false,
  supportsExportNamespaceFrom: false,
  supportsStaticESM: false,
  supportsTopLevelAwait: false,
};
/** By file. A later test file runs the same function again, which node has already compiled and optimized. */
const compiled = new Map();

/**
 * Lets node load all modules of the tests, and libraries only once per worker. Jest's own runtime loads each library
 * again for each test file, for which the tests of the engine and the api take 80 % more CPU time.
 */
module.exports = class extends Runtime {
  #sourceMaps = new Map();

  constructor(config, environment, resolver, transformer, cacheFS, coverageOptions, ...rest) {
    super(config, environment, resolver, transformer, cacheFS, coverageOptions, ...rest);
    require.extensions['.ts'] = (module, file) => {
      const { code, sourceMapPath } = transformer.transform(file, { ...TO_COMMONJS, ...coverageOptions });
      if (sourceMapPath) this.#sourceMaps.set(file, sourceMapPath);
      run(module, file, code);
    };
  }

  requireInternalModule(file, name) {
    return name === undefined ? require(file) : super.requireInternalModule(file, name);
  }

  requireModule(file, name) {
    if (name !== undefined) return super.requireModule(file, name);
    globalThis.jest = this.requireModuleOrMock(file, '@jest/globals').jest;
    return require(file);
  }

  /** The transformer makes CommonJS of everything. */
  unstable_shouldLoadAsEsm() {
    return false;
  }

  getSourceMaps() {
    return this.#sourceMaps;
  }

  teardown() {
    super.teardown();
    for (const file of Object.keys(require.cache)) if (OF_A_FILE.test(file)) delete require.cache[file];
    module.children = [];
  }
};

function run(module, file, code) {
  let known = compiled.get(file);
  if (known?.code !== code) {
    const names = ['exports', 'require', 'module', '__filename', '__dirname'];
    const { resolve } = createRequire(file);
    known = { code, call: compileFunction(code, names, { filename: file }), resolve, paths: new Map() };
    compiled.set(file, known);
  }
  const load = Object.assign((name) => loaded(known, module, name), { resolve: known.resolve });
  known.call.call(module.exports, module.exports, load, module, file, path.dirname(file));
}

/** Looks for the path of an import once per worker. Node would look again for each test file. */
function loaded({ resolve, paths }, module, name) {
  let target = paths.get(name);
  if (target === undefined) {
    target = resolve(name);
    paths.set(name, target);
  }
  return require.cache[target]?.exports ?? module.require(target);
}
