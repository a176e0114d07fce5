import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { cacheFolder } from '@mailhook/testing';

/**
 * Go is too large to be installed for the examples, so their tests exist only where it is (see examples/README.md). The
 * first run compiles its library, in 40 s of CPU, so only the nightly run has them.
 */
export const isGoTested = (): boolean => process.env['FAULTS'] === 'long' && spawnSync('go', ['version']).status === 0;

/** Compiling fast matters more than running fast. */
export const GO_ENVIRONMENT = {
  GOCACHE: path.join(cacheFolder(), 'go-build'),
  CGO_ENABLED: '0',
  GOFLAGS: "'-gcflags=all=-N -l'",
  GO111MODULE: 'off',
};
