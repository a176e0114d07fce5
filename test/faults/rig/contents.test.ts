import { compareContents } from './contents.ts';

test('a webhook-id that comes again with other bytes is noted, unless only the attempt differs', () => {
  const contents = compareContents();
  contents.see('a', '{"attempt":1,"id":7}');
  contents.see('b', '{"attempt":1,"id":7}');
  contents.see('a', '{"attempt":2,"id":7}');
  expect([contents.repeated, contents.changed]).toEqual([1, []]);
  contents.see('b', '{"attempt":2,"id":8}');
  expect([contents.repeated, contents.changed]).toEqual([2, ['b']]);
});
