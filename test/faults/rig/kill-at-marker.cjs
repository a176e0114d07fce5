'use strict';

// Loaded into a worker by `--require`. The process dies when it parses a job that holds the marker, as one that runs out of memory does.
const parse = JSON.parse;
if (process.argv[1]?.includes('transactional-notifier')) {
  JSON.parse = (text, reviver) => {
    if (typeof text === 'string' && text.includes('<deadly@sender.example>')) process.kill(process.pid, 'SIGKILL');
    return parse(text, reviver);
  };
}
