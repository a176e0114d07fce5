'use strict';

// Loaded into a service by `--require`. At SIGUSR2, the service has a rejection that nobody handles.
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('a rejection of the test'));
});
