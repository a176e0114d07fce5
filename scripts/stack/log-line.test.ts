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
  ['plain text', undefined],
  ['{"level":"error"', undefined],
])('%s', (line, expected) => {
  expect(readLogLine(line)).toBe(expected);
});
