import { ConfigError } from '@mailhook/platform/config';
import { loadConfig } from '../config.ts';
import { createAlertLinkUrls } from './alert-link-urls.ts';

const PUBLIC_URL = 'https://hooks.example.com';
const PLATFORM = 'https://app.example.com/webhooks?account={account}&destination={destination}';
const environment = {
  ADMIN_TOKEN: 'admin-token-of-the-tests',
  PRODUCER_TOKEN: 'producer-token-of-the-tests',
};

test('an alert links to the page of the endpoint, or to the route of the platform', () => {
  const own = createAlertLinkUrls(PUBLIC_URL, undefined);
  expect(own.settings('acc', 'campaign')).toBe(`${PUBLIC_URL}/settings/webhooks/endpoints/campaign`);
  expect(own.settings('acc')).toBe(`${PUBLIC_URL}/settings/webhooks`);
  const platform = createAlertLinkUrls(PUBLIC_URL, PLATFORM);
  expect(platform.settings('a&b', '$&')).toBe('https://app.example.com/webhooks?account=a%26b&destination=%24%26');
  expect(platform.settings('acc')).toBe('https://app.example.com/webhooks?account=acc&destination=');
  expect(platform.own('acc', 't')).toBe(`${PUBLIC_URL}/settings/alerts?account=acc&token=t`);
});

test.each([PLATFORM, 'https://app.example.com', 'http://localhost:8080/#/{account}/{destination}'])(
  'ALERT_LINK_URL may be %s',
  (text) => {
    expect(loadConfig({ ...environment, ALERT_LINK_URL: text }).ALERT_LINK_URL).toBe(text);
  },
);

test.each([
  'app.example.com/{account}',
  'javascript:alert({account})',
  'https://{account}.example.com/',
  'https://app.example.com:{account}/',
  'https://{account}:x@app.example.com/',
  'https://app.example.com/{email}',
  'https://app.example.com/{account',
  'https://app.example.com/a b',
])('ALERT_LINK_URL may not be %s', (text) => {
  expect(() => loadConfig({ ...environment, ALERT_LINK_URL: text })).toThrow(ConfigError);
});
