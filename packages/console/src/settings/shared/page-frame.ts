import type { AssetName, Assets } from '../../html/assets.ts';
import type { Brand } from '../../html/brand.ts';
import { htmlDocument, ownMark } from '../../html/document.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import type { Reader } from '../../html/reader.ts';
import { texts } from '../../messages/texts.ts';

/** What every document of the settings page needs: the files that it links to, the brand, and who reads it. */
export interface PageLook {
  readonly urls: Assets['urls'];
  readonly brand: Brand;
  readonly reader: Reader;
}

export const frame = (
  { urls, brand, reader }: PageLook,
  title: Content,
  body: Markup,
  scripts: readonly AssetName[],
): string => htmlDocument(urls, { title: [title, ' · ', brand.name], scripts, body }, reader);

/** The logo of the platform, or its name. Mailhook itself has its mark too. */
export const brandMark = ({ urls, brand: { name, logoUrl } }: Omit<PageLook, 'reader'>): Markup => {
  if (logoUrl !== undefined) return html`<img class="logo" src="${logoUrl}" alt="${name}" />`;
  return name === 'Mailhook' ? ownMark(urls) : html`${name}`;
};

/** A link out of the page, also out of a frame. */
export function backLink({ name, url }: Brand, returnUrl: string | undefined): Markup | undefined {
  const target = returnUrl ?? url;
  return target === undefined
    ? undefined
    : html`<a class="back" href="${target}" target="_top"
        ><span aria-hidden="true">‹ </span>${texts.shell.backTo({ name })}</a
      >`;
}
