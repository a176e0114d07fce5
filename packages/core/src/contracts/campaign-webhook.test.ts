import {
  campaignTestInput,
  campaignWebhook,
  campaignWebhookInput,
  connectionTestReply,
  testResult,
} from './campaign-webhook.ts';

const ADDRESS = 'https://example.com/batch';

describe('campaignWebhookInput', () => {
  it.each([
    [{ address: ADDRESS }, { address: ADDRESS, active: true }],
    [
      { address: ADDRESS, active: '0' },
      { address: ADDRESS, active: false },
    ],
    [{ address: null }, { address: null, active: true }],
  ])('reads %j', (body, setting) => {
    expect(campaignWebhookInput.parse(body)).toEqual(setting);
  });

  it.each([
    [{}, 'address'],
    [{ active: true }, 'address'],
    [{ address: 'nowhere' }, 'address'],
    [{ address: 5 }, 'address'],
    [{ address: ADDRESS, active: 'perhaps' }, 'active'],
    [{ address: ADDRESS, active: null }, 'active'],
  ])('refuses %j and names %s', (body, field) => {
    expect(campaignWebhookInput.safeParse(body).error?.issues.map((issue) => issue.path.join('.'))).toEqual([field]);
  });
});

describe('campaignWebhook', () => {
  it('contains the reason only if there is one', () => {
    expect(campaignWebhook.parse({ address: null, active: false })).toEqual({ address: null, active: false });
    const switchedOff = { address: ADDRESS, active: false, inactiveReason: 'the receiver answered HTTP 410 Gone' };
    expect(campaignWebhook.parse(switchedOff)).toEqual(switchedOff);
  });
});

describe('campaignTestInput', () => {
  it('accepts an address or none', () => {
    expect(campaignTestInput.parse({})).toEqual({});
    expect(campaignTestInput.parse({ address: ADDRESS, send: 'batch' })).toEqual({ address: ADDRESS, send: 'batch' });
    expect(campaignTestInput.safeParse({ send: 'everything' }).success).toBe(false);
    expect(campaignTestInput.safeParse({ address: 'nowhere' }).success).toBe(false);
  });
});

describe('testResult', () => {
  it('is a success, or a failure with a message', () => {
    expect(testResult.safeParse({ success: true }).success).toBe(true);
    expect(testResult.safeParse({ success: false, message: 'no' }).success).toBe(true);
    expect(testResult.safeParse({ success: false }).success).toBe(false);
  });
});

describe('connectionTestReply', () => {
  it.each([{ status: 'ok' }, { status: 'ok', more: 1 }])('accepts %j', (body) => {
    expect(connectionTestReply.safeParse(body).success).toBe(true);
  });

  it.each([{ status: 'OK' }, { status: true }, {}, [], null, 'ok'])('refuses %j', (body) => {
    expect(connectionTestReply.safeParse(body).success).toBe(false);
  });
});
