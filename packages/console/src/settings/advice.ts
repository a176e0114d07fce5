import { replyFix, statusRule, WEB_PAGE_FIX } from '@mailhook/core';

/** Advice by the status of a reply that the table of statuses in core has no advice on. The first match counts. */
const BY_STATUS: readonly (readonly [RegExp, string])[] = [
  [/^30[12378]/, 'Enter the address that your server redirects to.'],
  [/^3/, 'Your server answered as if Mailhook asked for a page. Let it answer POST requests with 200.'],
  [/^4/, 'Your server refused the request. Its log shows why.'],
  [/^5/, 'Your server failed. Its error log shows why.'],
];

/** Advice on a 401 or 403 to a signed request. */
const SIGNED =
  'Your server refuses the request. If it verifies signatures: compare its signing secret with the ' +
  'destination’s own secret, or else with that of your account, verify the body as it came (before a framework ' +
  'parses it), and set its clock. Otherwise enter its login under “Login and headers”, or let POST requests to ' +
  'this path through without one.';

/** Advice on all other failures, by the words of Mailhook's error. The first match counts. */
const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/counts as delivered/, WEB_PAGE_FIX],
  [/^Mailhook could not send/, 'This says nothing about your server. Try again in a minute.'],
  [/body is longer than/, 'The reply is too long for Mailhook to read. Answer with the expected JSON only.'],
  [
    /cannot be decompressed|Content-Encoding/,
    'Send the reply uncompressed, or compressed with gzip and a matching Content-Encoding.',
  ],
  [
    /not HTTP|could not be read/,
    'The server at this address does not speak HTTP correctly. Check the port, and whether it uses http or https.',
  ],
  [
    /invalid format/,
    'The server answered, but not with the expected reply. Answer with HTTP 200 and the JSON {"status": "ok"}.',
  ],
  [/did not answer in time/, 'Answer within 5 seconds. Store the request, reply, and then process it.'],
  [
    /no connection was made/,
    'Nothing at this address takes the connection. Check the address and its port, and that a firewall lets requests from the internet through.',
  ],
  [
    /proxy could not connect/,
    'Mailhook sends through a proxy, which found nothing at this address. Check the address and its port, and that a firewall lets requests from Mailhook’s addresses through.',
  ],
  [/connection refused/, 'Nothing listens there. Start your application, and check the port and the firewall.'],
  [
    /connection reset|closed before|closed without/,
    'Your server, or a proxy before it, ended the connection. Its log shows why.',
  ],
  [/no route/, 'The network of this address cannot be reached. Check the address and the firewall.'],
  [
    /name does not resolve/,
    'Check the spelling of the host name, and that it leads to a public address. A new name may need some minutes until it is known.',
  ],
  [/name server/, 'The name server of this host does not answer correctly. Check the DNS of your domain.'],
  [/certificate has expired|not valid yet/, 'Renew the certificate of your server.'],
  [/self-signed|unknown authority/, 'Use a certificate of a public authority, such as Let’s Encrypt.'],
  [/chain is incomplete/, 'Let your server send the intermediate certificates too (the “full chain”).'],
  [/for another name/, 'Use a certificate that names this host, or enter the host that the certificate names.'],
  [
    /handshake did not end/,
    'Your server took the connection, but did not complete the TLS handshake. Check that this port speaks https, and that the server is not overloaded.',
  ],
  [
    /not speak TLS/,
    'Enter the port that speaks https. If your server has none, the address begins with http:// instead.',
  ],
  [
    /client certificate/,
    'Let requests from Mailhook in without a client certificate. They can have a login or a signature.',
  ],
  [
    /certificate is not accepted/,
    'Use a certificate of a public authority that is made for servers, with a current algorithm.',
  ],
  [/TLS/, 'Check that this port speaks https, with TLS 1.2 or newer.'],
  [
    /^blocked|must not lead/i,
    'Mailhook delivers to public addresses only. Use one that is reachable from the internet.',
  ],
];

const OTHERWISE = 'Check that the address is correct and that your server is running, then try again.';

/**
 * The status that a failure's text begins with: "Request error (curl) 404 - ...", "the receiver answered HTTP 404 ...".
 */
const STATUS = /^(?:Request error \(curl\)|the receiver answered HTTP) (\d{3})\b/i;

/**
 * Advice in a few sentences, to show after the failure's text. `isSigned`: whether requests to the destination are
 * signed.
 */
export function adviceOn(failure: string, isSigned: boolean): string {
  if (isSigned && isRefusal(failure)) return SIGNED;
  const status = STATUS.exec(failure)?.[1] ?? '';
  const ofStatus = statusRule(Number(status)).advice ?? BY_STATUS.find(([statuses]) => statuses.test(status))?.[1];
  return ofStatus ?? replyFix(failure) ?? BY_WORDS.find(([words]) => words.test(failure))?.[1] ?? OTHERWISE;
}

/** Whether the advice on a failure depends on the signing secrets. */
export const isRefusal = (failure: string): boolean => /^40[13]$/.test(STATUS.exec(failure)?.[1] ?? '');
