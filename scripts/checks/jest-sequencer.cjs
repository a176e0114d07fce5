'use strict';
const { default: Sequencer } = require('@jest/test-sequencer');

const LONGEST = ['end-to-end', 'browser'];
const rank = ({ context }) => (LONGEST.includes(context.config.displayName.name) ? 0 : 1);

/**
 * Starts the projects with the longest tests first, so that no worker ends with a long test alone. Keeps jest's order
 * within both groups.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
};
