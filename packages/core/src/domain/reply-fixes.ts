const WANTED = '[{"hash": "...", "status": true}, ...]';
const ONE_EACH = `Answer with HTTP 200 and a JSON array ${WANTED}, one item for each event.`;

/** How to fix a reply's body. Pages translate these texts. */
export const REPLY_FIXES = {
  phpMessage:
    'Set display_errors to Off in PHP, so that its messages go to the error log, and fix what this one reports.',
  page: 'Check that the address leads to your webhook handler, not to a page or a login form. Print only the JSON.',
  otherText: 'Print nothing but the JSON: no log lines and no debug output.',
  brokenJson: 'Write the reply with a JSON library, and send it whole.',
  oneEach: ONE_EACH,
  oneObject: `Put the object into an array: ${WANTED}.`,
  testReply: `${ONE_EACH} {"status": "ok"} is for the connection test only.`,
  textItems: `Answer with objects that hold the hash and status true: ${WANTED}.`,
  hash: `Send back each event’s hash unchanged, as a text: ${WANTED}.`,
  statusFalse: 'Answer true for every event that you have received, also those that you do not use.',
  statusMissing: 'Give every item "status": true.',
  statusText: 'Write true without quotation marks: only the boolean confirms.',
  otherHash: 'Send back each event’s hash exactly as it came: not shortened, not in another case, not computed again.',
  confirmAll:
    'Confirm every event that you have stored, also those that you do not use and those that you know already.',
};
export type ReplyFix = keyof typeof REPLY_FIXES;

/** How to fix a success that a web page answered. */
export const WEB_PAGE_FIX =
  'Enter the address of your webhook handler, and let requests of Mailhook pass bot protection and logins. Mailhook ' +
  'cannot know that the events are lost.';
