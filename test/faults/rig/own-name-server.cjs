'use strict';

// Loaded into a service by `--require`. The service then asks the name server of the test instead of the system's name servers.
const { Resolver } = require('node:dns/promises');
const { syncBuiltinESMExports } = require('node:module');

require('node:dns/promises').Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.TEST_NAME_SERVER]);
  }
};
syncBuiltinESMExports();
