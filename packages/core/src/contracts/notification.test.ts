import { notification } from './notification.ts';

const COMMON = { module: 'transactional_email', messageId: 'm', time: 1, version: 1 };
const OPEN = { ...COMMON, name: 'open', ip: '203.0.113.7' };

describe('notification', () => {
  it.each([
    OPEN,
    { ...COMMON, name: 'click', ip: '::1', userAgent: 'UA', url: 'https://x/' },
    { ...COMMON, name: 'bounce', type: 'soft', reason: '450' },
  ])('accepts %j', (body) => {
    expect(notification.parse(body)).toEqual(body);
  });

  it.each([
    { ...OPEN, userAgent: 'UA' },
    { ...OPEN, account: 'acc' },
    { ...OPEN, version: 2 },
    { ...COMMON, name: 'click', ip: '::1' },
    { ...COMMON, name: 'bounce', type: 'medium', reason: '' },
  ])('refuses an extra key, a missing key or a wrong value: %j', (body) => {
    expect(notification.safeParse(body).success).toBe(false);
  });
});
