import { ALERT_LINK_PATH } from '@mailhook/console';
import { SETTINGS_PAGE_PATH } from '@mailhook/core';

/** The links of alerts. None of them signs anybody in. Empty without `PUBLIC_URL`, which e-mails need. */
export interface AlertLinkUrls {
  /** The page of an address, where its owner confirms it or unsubscribes. */
  own(account: string, token: string): string;
  /** The same page with the question whether the address is never to be asked again. */
  never(account: string, token: string): string;
  /** @param destination a subscription's id or `campaign`. Without it, the settings of the account. */
  settings(account: string, destination?: string): string;
}

/** @param template `ALERT_LINK_URL`. Without it, the settings page, where the reader signs in as usual. */
export function createAlertLinkUrls(publicUrl: string | undefined, template: string | undefined): AlertLinkUrls {
  const at = (path: string): string => (publicUrl === undefined ? '' : new URL(path, publicUrl).href);
  const own = (account: string, token: string, more = {}): string =>
    at(`${ALERT_LINK_PATH}?${new URLSearchParams({ account, token, ...more }).toString()}`);
  return {
    own,
    never: (account, token) => own(account, token, { never: '1' }),
    settings: (account, destination) => {
      if (template !== undefined)
        return template
          .replaceAll('{account}', encodeURIComponent(account))
          .replaceAll('{destination}', encodeURIComponent(destination ?? ''));
      return at(
        destination === undefined
          ? SETTINGS_PAGE_PATH
          : `${SETTINGS_PAGE_PATH}/endpoints/${encodeURIComponent(destination)}`,
      );
    },
  };
}
