import { readLogLine } from './log-line.ts';

test.each([
  ['{"time":"t","level":"info","message":"started","service":"api"}', undefined],
  [
    '{"time":"t","level":"warn","message":"slow","service":"api","ms":12,"why":"disk"}',
    'warn: slow (ms: 12, why: disk)',
  ],
  [
    '{"level":"error","message":"no","error":{"name":"Error","message":"broken","stack":"..."}}',
    'error: no (error: broken)',
  ],
  [
    JSON.stringify({ level: 'warn', message: 'a\u001b[2Jb', label: 'x\u001b]0;t\u0007\u009b1m\u202ey', 'na\rme': 1 }),
    String.raw`warn: a\x1b[2Jb (label: x\x1b]0;t\x07\x9b1m\u{202e}y, na\x0dme: 1)`,
  ],
  [
    JSON.stringify({ level: 'warn', message: 'no', label: 'x\nredis: error: lost' }),
    'warn: no (label: x\n  redis: error: lost)',
  ],
  ['plain text', undefined],
  ['{"level":"error"', undefined],
])('%s', (line, expected) => {
  expect(readLogLine(line)).toBe(expected);
});
