/** What to do about a failure, by the words that Mailhook tells it in. First match. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/redirect/i, 'Enter the address that your server redirects to.'],
  [
    /invalid format/i,
    'The address was reached and answered, but not as the test asks. Answer with HTTP 200 and the JSON {"status": "ok"}.',
  ],
  [
    /not a JSON array of \{hash, status\}/,
    'Answer batches with HTTP 200 and a JSON array with one {"hash": …, "status": true} for each event.',
  ],
  [/\b404\b/, 'There is no application at this address. Compare its path with the route on your server.'],
  [
    /\b(401|403)\b/,
    'Your server or a firewall refuses the request. Let POST requests to this path through without a login.',
  ],
  [/\b405\b/, 'Your server does not take POST requests here. Mailhook sends POST.'],
  [/\b410\b/, 'HTTP 410 tells Mailhook that the address is gone for good. Enter the new address.'],
  [/\b413\b/, 'The request is too large for your server. Let it take bodies of at least 1 MB.'],
  [
    /\b429\b/,
    'Your server limits how often it is called. Mailhook waits and tries again; raise the limit if it happens often.',
  ],
  [/\b5\d\d\b/, 'Your server failed. Its own error log tells why.'],
  [/\b4\d\d\b/, 'Your server refused the request. Its own log tells why.'],
  [
    /confirms none|unconfirmed/,
    'Return each event’s hash exactly as it came, with "status": true. What is not confirmed is sent again.',
  ],
  [/did not answer in time/, 'Answer within 5 seconds: store what came, reply, and work on it afterwards.'],
  [/connection refused/, 'Nothing listens there. Start your application, and check the port and the firewall.'],
  [/connection reset|closed before/, 'Your server, or a proxy before it, ended the connection. Its log tells why.'],
  [/no route/, 'The network of this address cannot be reached. Check the address and the firewall.'],
  [/name does not resolve/, 'Check the spelling of the host name. A new name may need some minutes until it is known.'],
  [/name server/, 'The name server of this host does not answer as it should. Check the DNS of your domain.'],
  [/certificate has expired|not valid yet/, 'Renew the certificate of your server.'],
  [/self-signed|unknown authority/, 'Use a certificate of a public authority, such as Let’s Encrypt.'],
  [/chain is incomplete/, 'Let your server send the intermediate certificates too (the “full chain”).'],
  [/for another name/, 'Use a certificate that names this host, or enter the host that the certificate names.'],
  [/TLS/, 'Check that this port speaks https, with TLS 1.2 or newer.'],
  [
    /not HTTP|could not be read/,
    'What answers there does not speak HTTP as it should. Check the port, and http or https.',
  ],
  [/blocked|must not lead/, 'Mailhook delivers to public addresses only. Use one that is reachable from the internet.'],
];

const OTHERWISE = 'Check that the address is right and that your server is running, then try again.';

/** One or two sentences that follow the failure's own text. */
export const adviceOn = (failure: string): string => ADVICE.find(([words]) => words.test(failure))?.[1] ?? OTHERWISE;
