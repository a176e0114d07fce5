import { REPLY_FIXES, WEB_PAGE_FIX } from '@mailhook/core';
import type { Content } from '../../html/markup.ts';

/** What to do about a failed request. */
export const advice = {
  ...REPLY_FIXES,
  webPage: WEB_PAGE_FIX,
  redirect: 'Enter the address that your server redirects to.',
  otherRedirect: 'Your server answered as if Mailhook asked for a page. Let it answer POST requests with 200.',
  refused: 'Your server refused the request. Its log shows why.',
  serverError: 'Your server failed. Its error log shows why.',
  logIn:
    'Your server, an API gateway or a firewall wants a login. Enter it under “Login and headers” of the saved ' +
    'endpoint, or let POST requests to this path through without one. If your server verifies signatures, create a ' +
    'signing secret.',
  logInSigned:
    'Your server refuses the request. If it verifies signatures: compare its signing secret with the endpoint’s ' +
    'own secret, or else with that of your account, verify the body as it came (before a framework parses it), and ' +
    'set its clock. Otherwise enter its login under “Login and headers”, or let POST requests to this path ' +
    'through without one.',
  notFound: 'There is no application at this address. Compare its path with the route on your server.',
  noPost: 'Your server does not take POST requests here. Mailhook sends POST.',
  tooLarge: 'The request is too large for your server. Let it take bodies of at least 1 MB.',
  tooMany:
    'Your server limits how often it is called. Mailhook waits and tries again; raise the limit if it happens often.',
  notSent: 'This says nothing about your server. Try again in a minute.',
  longReply: 'The reply is too long for Mailhook to read. Answer with the expected JSON only.',
  compression: 'Send the reply uncompressed, or compressed with gzip and a matching Content-Encoding.',
  notHttp:
    'The server at this address does not speak HTTP correctly. Check the port, and whether it uses http or https.',
  invalidFormat:
    'The server answered, but not with the expected reply. Answer with HTTP 200 and the JSON {"status": "ok"}.',
  timeout: ({ deadline }: { deadline: Content }) => [
    'Answer within ',
    deadline,
    '. Store the request, reply, and then process it.',
  ],
  noConnection:
    'Nothing at this address takes the connection. Check the address and its port, and that a firewall lets requests ' +
    'from the internet through.',
  proxy:
    'Mailhook sends through a proxy, which found nothing at this address. Check the address and its port, and that a ' +
    'firewall lets requests from Mailhook’s addresses through.',
  connectionRefused: 'Nothing listens there. Start your application, and check the port and the firewall.',
  connectionEnded: 'Your server, or a proxy in front of it, closed the connection. Its log shows why.',
  noRoute: 'The network of this address cannot be reached. Check the address and the firewall.',
  unknownName: 'Check the spelling of the host name, and that its address is public. A new name may take some minutes.',
  nameServer: 'The name server of this host does not answer correctly. Check the DNS of your domain.',
  certificateExpired: 'Renew the certificate of your server.',
  selfSigned: 'Use a certificate of a public authority, such as Let’s Encrypt.',
  chainIncomplete: 'Let your server send the intermediate certificates too (the “full chain”).',
  otherName: 'Use a certificate that names this host, or enter the host that the certificate names.',
  handshake:
    'Your server took the connection, but did not complete the TLS handshake. Check that this port speaks https, and ' +
    'that the server is not overloaded.',
  noTls: 'Enter the port that speaks https. If your server has none, the address begins with http:// instead.',
  clientCertificate:
    'Let requests from Mailhook in without a client certificate. They can have a login or a signature.',
  otherCertificate: 'Use a certificate of a public authority that is made for servers, with a current algorithm.',
  tls: 'Check that this port speaks https, with TLS 1.2 or newer.',
  blocked: 'Mailhook delivers to public addresses only. Use one that is reachable from the internet.',
  otherwise: 'Check that the address is correct and that your server is running, then try again.',
  ended:
    'This answer means that the address wants no more requests, permanently. Enter the new address, or switch ' +
    'the endpoint on again.',
};
