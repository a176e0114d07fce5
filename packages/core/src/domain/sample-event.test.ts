import { editedSample, SAMPLE_CAMPAIGN, sampleEvent, sampleFields } from './sample-event.ts';

test('an edited sample has the given fields, and stays a test event of its type', () => {
  const fields = { ...sampleFields('campaign', 'click'), url: 'https://example.com/mine', email: null };
  expect(Object.keys(fields)).not.toEqual(expect.arrayContaining(['event', 'hash', 'timestamp']));
  const edited = editedSample('campaign', 'click', 'test-0123456', 5000, { ...fields, event: 'open', id: 'mine' });
  expect(edited).toMatchObject({
    module: 'campaign',
    event: 'click',
    id: 'test-0123456',
    hash: 'test-0123456',
    timestamp: 5,
    campaign: SAMPLE_CAMPAIGN,
    url: 'https://example.com/mine',
    email: null,
  });
});

test('a sample of a transactional event has its time', () => {
  expect(sampleEvent('transactional_email', 'open', 'test-0123456', 5000)).toMatchObject({ time: 5, name: 'open' });
});
