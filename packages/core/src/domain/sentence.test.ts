import { capitalized, sentence } from './sentence.ts';

test.each([
  ['the receiver hung up', 'The receiver hung up', 'The receiver hung up.'],
  ['Why?', 'Why?', 'Why?'],
  ['done!', 'Done!', 'Done!'],
  ['it ended.', 'It ended.', 'It ended.'],
  ['élan', 'Élan', 'Élan.'],
])('capitalizes %j as %j, and makes it the sentence %j', (text, begun, whole) => {
  expect([capitalized(text), sentence(text)]).toEqual([begun, whole]);
});
