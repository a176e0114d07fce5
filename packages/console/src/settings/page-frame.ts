import type { AssetName, Assets } from '../html/assets.ts';
import type { Brand } from '../html/brand.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

/** What every document of the settings page needs: the files that it links to, and the brand. */
export interface PageLook {
  readonly urls: Assets['urls'];
  readonly brand: Brand;
}

/** @param scripts the first is loaded, the others are the modules that it imports. */
export const frame = ({ urls, brand }: PageLook, title: string, body: Markup, scripts: readonly AssetName[]): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · ${brand.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${urls['icon.svg']}" type="image/svg+xml">
<link rel="stylesheet" href="${urls['settings.css']}">
${scripts.map((name, i) =>
  i === 0
    ? markup`<script type="module" src="${urls[name]}"></script>
`
    : markup`<link rel="modulepreload" href="${urls[name]}">
`,
)}</head>
${body}
</html>
`.toString();

/** The logo, or the name without one. */
export const brandMark = ({ name, logoUrl }: Brand): Markup =>
  logoUrl === undefined ? markup`${name}` : markup`<img class="logo" src="${logoUrl}" alt="${name}">`;

/** A link out of the page, also out of a frame. */
export function backLink({ name, url }: Brand, returnUrl: string | undefined): Markup | undefined {
  const target = returnUrl ?? url;
  return target === undefined
    ? undefined
    : markup`<a class="back" href="${target}" target="_top"><span aria-hidden="true">‹ </span>Back to ${name}</a>`;
}
