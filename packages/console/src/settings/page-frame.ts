import type { AssetName, Assets } from '../html/assets.ts';
import type { Brand } from '../html/brand.ts';
import { htmlDocument, ownMark } from '../html/document.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

/** What every document of the settings page needs: the files that it links to, and the brand. */
export interface PageLook {
  readonly urls: Assets['urls'];
  readonly brand: Brand;
}

export const frame = ({ urls, brand }: PageLook, title: string, body: Markup, scripts: readonly AssetName[]): string =>
  htmlDocument(urls, { title: `${title} · ${brand.name}`, scripts, body });

/** The logo of the platform, or its name. Mailhook itself has its mark too. */
export const brandMark = ({ urls, brand: { name, logoUrl } }: PageLook): Markup => {
  if (logoUrl !== undefined) return markup`<img class="logo" src="${logoUrl}" alt="${name}">`;
  return name === 'Mailhook' ? ownMark(urls) : markup`${name}`;
};

/** A link out of the page, also out of a frame. */
export function backLink({ name, url }: Brand, returnUrl: string | undefined): Markup | undefined {
  const target = returnUrl ?? url;
  return target === undefined
    ? undefined
    : markup`<a class="back" href="${target}" target="_top"><span aria-hidden="true">‹ </span>Back to ${name}</a>`;
}
