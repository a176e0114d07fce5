'use strict';

// Loaded into a worker by `--require`. When the process parses a job with the marker, it gets a SIGKILL, as from the
// kernel when memory runs out.
const parse = JSON.parse;
if (process.argv[1]?.includes('transactional-notifier')) {
  JSON.parse = (text, reviver) => {
    if (typeof text === 'string' && text.includes('<deadly@sender.example>')) process.kill(process.pid, 'SIGKILL');
    return parse(text, reviver);
  };
}
