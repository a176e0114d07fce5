import type { Store } from '@mailhook/core';

/** What every `Store` guarantees for the campaign webhook. No other test may write to `account`. */
export function describeCampaigns(store: () => Store, account: () => string): void {
  const setting = { address: 'https://example.com/campaign', active: true, inactiveReason: null };

  describe('campaign webhook', () => {
    it('is unset with version 0 before the first write', async () => {
      await expect(store().getCampaignWebhook(account())).resolves.toEqual({
        account: account(),
        address: null,
        active: false,
        inactiveReason: null,
        version: 0,
      });
    });

    it('is written and read back with a rising version', async () => {
      await expect(store().putCampaignWebhook(account(), setting)).resolves.toEqual({
        account: account(),
        ...setting,
        version: 1,
      });
      const off = { ...setting, active: false, inactiveReason: 'the receiver answered 410' };
      await expect(store().putCampaignWebhook(account(), off)).resolves.toEqual({
        account: account(),
        ...off,
        version: 2,
      });
      await expect(
        store().putCampaignWebhook(account(), { address: null, active: false, inactiveReason: null }),
      ).resolves.toMatchObject({ version: 3 });
      await expect(store().getCampaignWebhook(account())).resolves.toMatchObject({
        address: null,
        active: false,
        inactiveReason: null,
        version: 3,
      });
    });

    it('applies a conditional write only to the version it names', async () => {
      await expect(store().putCampaignWebhook(account(), setting, 1)).resolves.toBeUndefined();
      await expect(store().putCampaignWebhook(account(), setting, 0)).resolves.toMatchObject({ version: 1 });
      await expect(store().putCampaignWebhook(account(), { ...setting, active: false }, 0)).resolves.toBeUndefined();
      await expect(store().putCampaignWebhook(account(), { ...setting, active: false }, 1)).resolves.toMatchObject({
        version: 2,
        active: false,
      });
    });

    it('counts each of many concurrent first writes', async () => {
      await Promise.all(Array.from({ length: 6 }, () => store().putCampaignWebhook(account(), setting)));
      await expect(store().getCampaignWebhook(account())).resolves.toMatchObject({ ...setting, version: 6 });
    });
  });
}
