import { commonEnvironment, deliveryEnvironment } from './environments.ts';
import { misspeltVariables } from './misspelt.ts';
import { ConfigError, readConfig } from './read-config.ts';

const meantBy = (env: NodeJS.ProcessEnv) => misspeltVariables(env).map(({ name, meant }) => [name, meant]);

describe('misspeltVariables', () => {
  test.each([
    ['RETRY_SHCEDULE', 'RETRY_SCHEDULE'],
    ['REDIS_URI', 'REDIS_URL'],
    ['MONGODB_URL', 'MONGO_URL'],
    ['QUEUE_PREFX', 'QUEUE_PREFIX'],
    ['CAMPAIGN_BATCHMAX', 'CAMPAIGN_BATCH_MAX'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['ADMIN_TOKENS', 'ADMIN_TOKEN'],
    ['MAILHOOK_REDIS_URL', undefined],
    ['BREAKER_THRESHOLD', undefined],
    ['RETRY_BACKOFF', undefined],
  ])('reports %s and suggests %s', (name, meant) => {
    expect(meantBy({ [name]: 'x' })).toEqual([[name, meant]]);
  });

  test('does not report known variables, empty ones, and those of other programs', () => {
    const env = {
      ADMIN_TOKEN: 'a',
      RETRY_SCHEDULE: '5s',
      MAILHOOK_SUPERVISED: '1',
      RETRY_SHCEDULE: '',
      ...Object.fromEntries(
        ['APP_PORT', 'API_PORT', 'POST', 'HOSTS', 'QUEUE_CONNECTION', 'NPM_TOKEN', 'HOSTNAME', 'PATH', 'DATA_HOME'].map(
          (name) => [name, 'x'],
        ),
      ),
    };
    expect(meantBy(env)).toEqual([]);
  });

  test('does not report a name similar to a variable that is set', () => {
    expect(meantBy({ MONGODB_URL: 'x', MONGO_URL: 'mongodb://mongo' })).toEqual([]);
  });

  test('does not report the variables that Kubernetes adds for the services of a namespace', () => {
    const env = {
      MAILHOOK_API_PORT: 'tcp://10.0.0.7:3000',
      MAILHOOK_API_PORT_3000_TCP: 'tcp://10.0.0.7:3000',
      MAILHOOK_API_PORT_3000_TCP_ADDR: '10.0.0.7',
      MAILHOOK_API_SERVICE_HOST: '10.0.0.7',
      MAILHOOK_API_SERVICE_PORT: '3000',
      MAILHOOK_API_SERVICE_PORT_HTTP: '3000',
    };
    expect(meantBy(env)).toEqual([]);
    expect(meantBy({ MAILHOOK_API_PORT: '3000' })).toEqual([['MAILHOOK_API_PORT', undefined]]);
  });
});

test('readConfig lists misspelt variables with all other faults in one message, without their values', () => {
  const read = () =>
    readConfig(
      { ...commonEnvironment, ...deliveryEnvironment },
      { RETRY_JITTER: '2', BREAKER_FAILURE: '3', MAILHOOK_TOKEN: 'secret', REDIS_URL: 'redis://redis' },
    );
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(
    [
      '3 environment variables are not usable:',
      '  - RETRY_JITTER is "2", but must be a number from 0 to 1; leave it out for the default 0.2',
      '  - BREAKER_FAILURE is not a variable of Mailhook: is BREAKER_FAILURES meant?',
      '  - MAILHOOK_TOKEN is not a variable of Mailhook: correct its name, or remove it',
    ].join('\n'),
  );
});
