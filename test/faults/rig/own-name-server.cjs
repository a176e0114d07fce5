'use strict';

// Loaded into a service by `--require`. The service then uses the test's name server instead of the system's.
const { Resolver } = require('node:dns/promises');
const { syncBuiltinESMExports } = require('node:module');

require('node:dns/promises').Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.TEST_NAME_SERVER]);
  }
};
syncBuiltinESMExports();
