import { replyFix } from './acknowledgement-fault.ts';
import { coded } from './coded-text.ts';
import { batchOutcome } from './outcome.ts';
import { REPLY_FIXES } from './reply-fixes.ts';

const fixOf = (body: string): string | undefined => {
  const exchange = { type: 'reply', status: 200, statusText: '', retryAfter: undefined, body } as const;
  const fix = replyFix(batchOutcome(exchange, ['aaaaaaaaaa', 'bbbbbbbbbb']).error ?? coded('other', { text: '' }));
  return fix && REPLY_FIXES[fix];
};

describe('replyFix', () => {
  it.each([
    ['<b>Notice</b>: x in y on line 1[]', 'display_errors'],
    ['<html>x</html>', 'webhook handler'],
    ['log line []', 'no log lines'],
    ['[{', 'JSON library'],
    ['', 'one item for each event'],
    ['hello', 'one item for each event'],
    ['[]', 'one item for each event'],
    ['{"hash":"aaaaaaaaaa","status":true}', 'into an array'],
    ['{"status":"ok"}', 'connection test only'],
    ['["aaaaaaaaaa"]', 'objects that hold'],
    ['[{"status":true}]', 'hash unchanged'],
    ['[{"hash":1}]', 'hash unchanged'],
    ['[{"hash":"aaaaaaaaaa"}]', 'every item'],
    ['[{"hash":"aaaaaaaaaa","status":false}]', 'Answer true'],
    ['[{"hash":"aaaaaaaaaa","status":"true"}]', 'without quotation marks'],
    ['[{"hash":"aaaaaaaaaa","status":1}]', 'only the boolean'],
    ['[{"hash":"AAAAAAAAAA","status":true}]', 'exactly as it came'],
    ['[{"hash":"aaaaaaaaaa","status":true}]', 'every event that you have stored'],
    // A quotation decides nothing.
    ['[{"hash":"PHP printed HTML or XML","status":true}]', 'exactly as it came'],
  ])('of %j', (body, words) => {
    expect(fixOf(body)).toContain(words);
  });

  it('is undefined for errors that are not about a reply’s body', () => {
    expect(replyFix(coded('no-reply'))).toBeUndefined();
  });
});
