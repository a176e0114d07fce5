import { coloredCode } from '../../html/code-colors.ts';
import { deadline } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';

export const BATCH = `[
  {
    "event": "click",
    "campaign": "c123456789",
    "email": "anna@example.com",
    "timestamp": 1767225600,
    "attempt": 1,
    "hash": "3f2a9c1d7e5b40868c1f",
    "url": "https://shop.example.com/"
  }
]`;

export const ACKNOWLEDGEMENT = '[{ "hash": "3f2a9c1d7e5b40868c1f", "status": true }]';

const code = (name: Content, text: string): Markup =>
  html`<pre tabindex="0" role="region" aria-label="${name}"><code>${coloredCode(text)}</code></pre>`;

const { help } = texts;

/** Shows on the page what a campaign receiver gets and must answer (docs/protocol.md). */
export const campaignExample = (): Markup =>
  html`<details class="example" id="campaign-example">
    <summary>${help.campaignExample}</summary>
    <p>${help.campaignRequest}</p>
    ${code(help.batch, BATCH)}
    <p>${help.campaignReply({ deadline })}</p>
    ${code(help.acknowledgement, ACKNOWLEDGEMENT)}
    <p>
      ${help.connectionTest({
        request: html`<code>{"test": "…"}</code>`,
        reply: html`<code>{"status": "ok"}</code>`,
      })}
    </p>
  </details>`;
