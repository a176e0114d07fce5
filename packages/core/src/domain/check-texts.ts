import { EVENT_TYPES } from '../contracts/event-types.ts';

const PASS =
  'Let these requests pass without login, CSRF token or address filter. If you verify signatures: the receiver needs ' +
  'the same signing secret as the destination, or else as the account, and the signature covers the body as it came.';

/** What the receiver doctor says, in English: titles and reasons of its checks, what it saw, and how to fix it. */
export const CHECK_TEXTS = {
  'reachable.title': 'It can be reached, and answers',
  'reachable.why': 'Without a reply nothing is delivered.',
  'tls.title': 'The connection is encrypted',
  'tls.why': "Events hold recipients' addresses. Over plain HTTP anybody on the way can read and change them.",
  'no-redirect.title': 'It answers itself, without a redirect',
  'no-redirect.why': 'Redirects are never followed: a 3xx is a failed delivery.',
  'access.title': 'It lets the requests in',
  'access.why':
    'Requests carry no login. Once the destination or the account has a signing secret they are signed, and the ' +
    "receiver's check must agree.",
  'web-page.title': 'Your application answers, not a web page',
  'web-page.why':
    'Any 2xx delivers a notification. If a bot challenge, a login form or a parked domain answers, the application ' +
    'gets nothing.',
  'connection-test.title': 'It passes the connection test',
  'connection-test.why':
    'The settings page sends {"test": "..."} and shows a failure unless the answer is {"status": "ok"}.',
  'status.title': 'It answers a batch with HTTP 200',
  'status.why':
    'A batch is taken as received with exactly 200. Every other status, 202 and 204 included, means: send it again.',
  'acknowledgement.title': 'It confirms a batch of one event, in the right shape',
  'acknowledgement.why':
    'Events are confirmed one by one: by an item with their hash and the boolean true. Mailhook sends unconfirmed ' +
    'events again.',
  'content-type.title': 'It says that the answer is JSON',
  'content-type.why': 'Mailhook reads the body whatever the header says; proxies and other tools go by the header.',
  'thousand-events.title': 'It confirms a batch of 1000 events',
  'thousand-events.why': 'Under load, and after a pause, batches hold up to 1000 events, some 200 kB of JSON.',
  'duplicates.title': 'It confirms a batch that holds a hash twice',
  'duplicates.why': 'Two opens in the same second are the same event twice, with one hash. One item confirms both.',
  'repeat.title': 'It confirms the same batch again',
  'repeat.why':
    'After a lost reply or a failure, Mailhook sends the same events again, with a higher attempt, until they are ' +
    'confirmed or the attempts run out.',
  'open.title': `It takes ${EVENT_TYPES.open.one}`,
  'click.title': `It takes ${EVENT_TYPES.click.one}`,
  'bounce.title': `It takes ${EVENT_TYPES.bounce.one}`,
  'notification.why': 'A subscription of this type sends such notifications; any 2xx takes one.',
  'again.title': 'It takes the same notification again',
  'again.why':
    'After a lost reply or a failure, Mailhook sends the same notification again, with the same webhook-id and a ' +
    'higher webhook-attempt.',
  'reply-time.title': 'It answers well within {seconds} seconds',
  'reply-time.why': 'A delivery without a complete answer within {seconds} seconds fails, and Mailhook sends it again.',
  'keep-alive.title': 'It keeps connections open',
  'keep-alive.why': 'A new connection, and with TLS a new handshake, for every delivery costs both sides time.',
  'wrong-signature.title': 'It refuses a wrong signature',
  'wrong-signature.why': 'Without this check, anyone who knows the address can send forged events.',

  // What was seen
  connected: 'A connection was made.',
  'plain-here': 'Plain HTTP, but on this machine only.',
  'plain-http': 'The address begins with http://.',
  'certificate-valid': 'The certificate is valid for this name.',
  'no-certificate': 'No connection was made on which a certificate could be seen.',
  'nothing-sent': 'Nothing was sent.',
  'not-asked': 'It was not sent.',
  'no-replies': 'No reply came.',
  'no-200': 'There is no reply with status 200.',
  'no-redirects': 'No reply was a redirect.',
  'is-redirect': 'The receiver answered HTTP {status}, a redirect.',
  'not-as-wanted': 'The receiver answered HTTP {status} instead of {wanted}.',
  'late-reply': 'No complete reply came within {seconds} seconds.',
  'not-reached': 'The receiver could not be reached: {fault}.',
  'ended-early': 'Mailhook ended the request before the deadline.',
  'not-read': 'The reply could not be read: {fault}.',
  'is-blocked': 'The address is blocked: {fault}.',
  'slowest-ms': 'The slowest of {replies} replies took {ms} ms.',
  'slowest-s': 'The slowest of {replies} replies took {seconds} seconds.',
  'two-replies': 'This check needs at least two replies.',
  reused: 'A connection was used again.',
  'not-reused': 'Every request needed a new connection.',
  'redirects-all': 'The address redirects.',
  'let-in': 'A request without a signature was let in.',
  'let-in-signed': 'A request with a signature was let in.',
  'is-page': 'The receiver answered HTTP {status}, and {fault}.',
  'no-page': 'No reply was a web page.',
  unsigned: 'Neither the destination nor the account has a signing secret, so requests are not signed.',
  'forgery-refused': 'It was refused with HTTP {status}.',
  'forgery-taken': 'A request with a wrong signature was accepted.',
  'test-passed': 'The answer was {"status": "ok"}.',
  'test-not-ok': 'The answer to {"test": "..."} is not {"status": "ok"}: {fault}.',
  'status-was': 'The status was {status}.',
  'event-confirmed': 'The acknowledgement is an array of {hash, status: true}, and confirms the event.',
  'other-hashes': 'The acknowledgement names {hashes} hashes that were not in the batch; they are ignored.',
  'json-type': 'It is a JSON type.',
  'no-type': 'The reply has no Content-Type.',
  'other-type': 'The Content-Type of the reply is not JSON.',
  'all-confirmed': 'All {events} events were confirmed.',
  'first-late': 'The receiver did not answer the first request in time.',
  'first-not-reached': 'The receiver could not be reached.',
  'first-refused': 'The receiver refuses the requests.',
  'first-not-confirmed': 'A batch of one event was not confirmed. Fix that check first.',

  // How to fix it
  'fix-late': 'Store the events and answer at once; work on them afterwards.',
  'fix-cut': 'Run the check again.',
  'fix-not-read': 'Answer in HTTP/1.1 with a short body, and only what the protocol asks for.',
  'fix-blocked': 'Enter an address that is reachable from the public internet.',
  'fix-not-connected':
    'Check host and port, and let the firewall take requests from the internet: it seems to drop them unanswered.',
  'fix-client': 'Let requests to this address in without a client certificate.',
  'fix-handshake': 'Offer TLS 1.2 or 1.3 with common ciphers, and ask for no client certificate.',
  'fix-https': 'Check that this port speaks https, and that the receiver is not overloaded.',
  'fix-certificate': 'Install a valid certificate for this name, with its whole chain.',
  'fix-name': 'Check the spelling of the host name, and its DNS records.',
  'fix-refused': 'Start the receiver, and check host, port and firewall.',
  'fix-log': 'Look into the log of the receiver, and of the proxy before it, for the reason.',
  'fix-redirect': 'Enter the final address: redirects are never followed.',
  'fix-exactly': 'Answer exactly {wanted}.',
  'fix-pass': PASS,
  'fix-path': 'Check the path of the address, and that the receiver has a route for it.',
  'fix-post': 'Accept POST at this address.',
  'fix-gone': 'Answer 410 only to end deliveries permanently, because Mailhook then switches the destination off.',
  'fix-large': 'Allow request bodies of at least 1 MiB, in the receiver and in the proxy before it.',
  'fix-json': 'Accept Content-Type: application/json;charset=UTF-8.',
  'fix-many': 'Allow more requests in a short time, or none will come through under load.',
  'fix-error': "Look into the receiver's log for the error that this request caused.",
  'fix-accept': 'Accept this request: it looks exactly like a real one.',
  'fix-plain': 'Use an address that begins with https://.',
  'fix-slow': 'Answer as soon as the events are stored, before working on them. The limit is {seconds} seconds.',
  'fix-keep-alive': 'Switch keep-alive on in the receiver, or in the proxy before it.',
  'fix-same-secret':
    'Give the receiver the same signing secret as the destination, or else as the account, and verify the body as it ' +
    'came. No login, CSRF token or address filter may stand before the receiver.',
  'fix-secret':
    'If the receiver verifies signatures: create a signing secret, so that requests are signed. No login, CSRF token ' +
    'or address filter may stand before the receiver.',
  'fix-signature': 'Verify webhook-signature before anything else, and answer 401 when it is wrong.',
  'fix-test': 'Answer the connection test with 200 and the body {"status": "ok"}.',
  'fix-other-hashes': 'Confirm the events of the request that you answer, and no others.',
  'fix-type': 'Answer with Content-Type: application/json.',
  'fix-duplicates': 'Expect a hash twice in one batch: insert what is new, ignore what is there, confirm both.',
  'fix-repeat': 'Confirm also what you have stored before: skip the work, not the acknowledgement.',
  'fix-again': 'Answer 2xx also to what you have taken before: skip the work, not the answer.',
} as const;
