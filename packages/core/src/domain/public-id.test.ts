import { campaignDestinationId } from './destination.ts';
import { destinationIdOf, publicIdOf } from './public-id.ts';

test.each([
  ['the webhook of the specification', campaignDestinationId('acc_1'), 'campaign'],
  ['a subscription', 'AbCdEfGhIjKlMnOp', 'AbCdEfGhIjKlMnOp'],
  ['the webhook of another account', campaignDestinationId('acc_2'), campaignDestinationId('acc_2')],
])('%s has one id in public and one inside', (_what, id, publicId) => {
  expect(publicIdOf('acc_1', id)).toBe(publicId);
  expect(destinationIdOf('acc_1', publicId)).toBe(id);
});
