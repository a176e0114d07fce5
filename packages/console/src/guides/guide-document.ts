import type { Assets } from '../html/assets.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Guide } from './guides.ts';

/** A guide as an HTML page without any script. `pages` are the guides in the navigation. */
export const guideDocument = (urls: Assets['urls'], guide: Guide, pages: readonly Guide[]): string =>
  frame(
    urls,
    guide,
    markup`<header class="top"><span class="brand">Mailhook</span><span class="account">Guides</span>
<nav aria-label="Elsewhere"><a href="/docs">API</a><a href="/settings/webhooks">Settings</a></nav></header>
<div class="layout">
<nav aria-label="Guides"><ul>${pages.map(
      ({ url, title }) =>
        markup`<li><a href="${url}"${url === guide.url && markup` aria-current="page"`}>${title}</a></li>`,
    )}</ul></nav>
<main id="main" class="guide">${guide.html}</main>
</div>`,
  );

/** The runbook, for operators. */
export const runbookDocument = (urls: Assets['urls'], runbook: Guide): string =>
  frame(
    urls,
    runbook,
    markup`<header class="top"><span class="brand">Mailhook</span><span class="account">Operations</span>
<nav aria-label="Elsewhere"><a href="/admin">Overview</a><a href="/admin/queues">Queues</a></nav></header>
<main id="main" class="guide alone">${runbook.html}</main>`,
  );

const frame = (urls: Assets['urls'], { title }: Guide, body: Markup): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Mailhook</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${urls['icon.svg']}" type="image/svg+xml">
<link rel="stylesheet" href="${urls['settings.css']}">
<link rel="stylesheet" href="${urls['guides.css']}">
</head>
<body class="guides">
<a class="skip" href="#main">Skip to the text</a>
${body}
</body>
</html>
`.toString();
