import { describeEnvironment, FILE_VARIABLES, fileVariable, KNOWN_VARIABLES } from '@mailhook/platform/config';
import { environment as api } from '../../services/api/src/config.ts';
import { environment as campaignBatcher } from '../../services/campaign-batcher/src/config.ts';
import { environment as transactionalNotifier } from '../../services/transactional-notifier/src/config.ts';
import { startEnvironment } from '../stack/settings.ts';

test('the known variables for files are those of the variables that may come from a file', () => {
  const marked = [api, campaignBatcher, transactionalNotifier, startEnvironment].flatMap((shape) =>
    describeEnvironment(shape).flatMap(({ name, fromFile }) => (fromFile ? [fileVariable(name)] : [])),
  );
  expect([...FILE_VARIABLES].sort()).toEqual([...new Set(marked)].sort());
});

test('the known variables are those that the services and npm start read, and the one that npm start sets for the services', () => {
  const read = [api, campaignBatcher, transactionalNotifier, startEnvironment].flatMap((shape) => Object.keys(shape));
  expect([...KNOWN_VARIABLES].sort()).toEqual([...new Set([...read, 'MAILHOOK_SUPERVISED'])].sort());
});
