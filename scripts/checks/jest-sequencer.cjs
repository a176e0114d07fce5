'use strict';
const { default: Sequencer } = require('@jest/test-sequencer');

/** The projects with the longest tests first, so that no worker is alone with one at the end. Jest's own order within each. */
const LONGEST = ['end-to-end', 'browser'];
const rank = ({ context }) => (LONGEST.includes(context.config.displayName.name) ? 0 : 1);

module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
};
