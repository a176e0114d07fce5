import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

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

export const NOTIFICATION = `{
  "module": "transactional_email",
  "name": "click",
  "messageId": "order-4711",
  "time": 1767225600,
  "version": 1,
  "ip": "192.0.2.1",
  "userAgent": "Mozilla/5.0",
  "url": "https://shop.example.com/"
}`;

const code = (name: string, text: string): Markup =>
  markup`<pre tabindex="0" role="region" aria-label="${name}"><code>${text}</code></pre>`;

/** Shows on the page what a campaign receiver gets and must answer (docs/protocol.md). */
export const campaignExample = (): Markup => markup`<details class="example" id="campaign-example">
<summary>What your server receives, and what it answers</summary>
<p>A POST request with a JSON array of events:</p>
${code('A batch of events', BATCH)}
<p>Within 5 seconds it answers HTTP 200 and confirms each event by its hash. Mailhook sends unconfirmed events again.</p>
${code('The answer to a batch', ACKNOWLEDGEMENT)}
<p>“Test connection” sends <code>{"test": "…"}</code> instead, and expects <code>{"status": "ok"}</code>. A sample batch follows.</p>
</details>`;

/** The same for subscriptions. */
export const notificationExample = (): Markup => markup`<details class="example" id="notification-example">
<summary>What your server receives</summary>
<p>A POST request for each event, with one JSON object. Any 2xx answer within 5 seconds confirms the event. After any other answer, Mailhook sends it again.</p>
${code('A notification', NOTIFICATION)}
</details>`;
