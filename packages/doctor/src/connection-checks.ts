import { isRedirect, WEB_PAGE_FIX, webPageFault } from '@mailhook/core';
import type { ReceiverCheck } from '@mailhook/core';
import type { Finding } from './findings.ts';
import {
  asCheck,
  failed,
  isRefused,
  isSuccess,
  passed,
  seconds,
  skipped,
  statusFault,
  transportFault,
  warning,
} from './findings.ts';
import type { Case, Observation } from './observations.ts';

/** Checks that both mechanisms share: connection, TLS, redirects, reply time, keep-alive, access and signatures. */

const NOT_SENT = 'Nothing was sent.';

export const reachableCheck = (about: Case): ReceiverCheck =>
  asCheck(
    { id: 'reachable', title: 'It can be reached, and answers', why: 'Without a reply nothing is delivered.' },
    reachable(about),
  );

function reachable({ seen, timeoutMs }: Case): Finding {
  const [first] = seen.values();
  if (first === undefined) return skipped(NOT_SENT);
  const { exchange } = first;
  if (exchange.type === 'reply' || exchange.type === 'invalid-reply' || isTlsFault(first)) {
    return passed('A connection was made.');
  }
  return failed(transportFault(exchange, timeoutMs));
}

const isTlsFault = ({ exchange }: Observation): boolean =>
  exchange.type === 'unreachable' && exchange.detail.startsWith('TLS');

export const tlsCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'tls',
      title: 'The connection is encrypted',
      why: "Events hold recipients' addresses. Over plain HTTP anybody on the way can read and change them.",
    },
    tls(about),
  );

function tls({ address, seen, timeoutMs }: Case): Finding {
  const [first] = seen.values();
  const { protocol, hostname } = new URL(address);
  if (protocol === 'http:') {
    if (isThisMachine(hostname)) return skipped('Plain HTTP, but on this machine only.');
    return warning({ detail: 'The address begins with http://.', fix: 'Use an address that begins with https://.' });
  }
  if (first === undefined) return skipped(NOT_SENT);
  if (first.exchange.type === 'reply' || first.exchange.type === 'invalid-reply') {
    return passed('The certificate is valid for this name.');
  }
  return isTlsFault(first)
    ? failed(transportFault(first.exchange, timeoutMs))
    : skipped('No connection was made on which a certificate could be seen.');
}

const isThisMachine = (hostname: string): boolean => /^(localhost$|127\.|\[::1\])/.test(hostname);

export const redirectCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'no-redirect',
      title: 'It answers itself, without a redirect',
      why: 'Redirects are never followed: a 3xx is a failed delivery.',
    },
    redirect(about),
  );

function redirect({ seen }: Case): Finding {
  const statuses = [...seen.values()].flatMap(({ exchange }) => (exchange.type === 'reply' ? [exchange.status] : []));
  const found = statuses.find(isRedirect);
  if (statuses.length === 0) return skipped('No reply came.');
  return found === undefined
    ? passed('No reply was a redirect.')
    : failed({ ...statusFault(found, '2xx'), detail: `The receiver answered HTTP ${found}, a redirect.` });
}

export const replyTimeCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'reply-time',
      title: `It answers well within ${seconds(about.timeoutMs)}`,
      why: `A delivery without a complete answer within ${seconds(about.timeoutMs)} fails, and Mailhook sends it again.`,
    },
    replyTime(about),
  );

function replyTime({ seen, timeoutMs }: Case): Finding {
  const all = [...seen.values()];
  const late = all.find(({ exchange }) => exchange.type === 'timeout');
  if (late !== undefined) return failed(transportFault({ type: 'timeout' }, timeoutMs));
  const replies = all.filter(({ exchange }) => exchange.type === 'reply');
  if (replies.length === 0) return skipped('No reply came.');
  const slowestMs = Math.max(...replies.map(({ exchange }) => exchange.durationMs));
  const detail = `The slowest of ${replies.length} replies took ${shownMs(slowestMs)}.`;
  if (slowestMs <= timeoutMs / 2) return passed(detail);
  return warning({
    detail,
    fix: `Answer as soon as the events are stored, before working on them. The limit is ${seconds(timeoutMs)}.`,
  });
}

const shownMs = (ms: number): string => (ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : seconds(ms));

export const keepAliveCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'keep-alive',
      title: 'It keeps connections open',
      why: 'A new connection, and with TLS a new handshake, for every delivery costs both sides time.',
    },
    keepAlive(about),
  );

function keepAlive({ seen }: Case): Finding {
  const replies = [...seen.values()].filter(({ exchange }) => exchange.type === 'reply');
  if (replies.length < 2) return skipped('This check needs at least two replies.');
  if (replies.slice(1).some(({ exchange }) => exchange.isConnectionReused)) {
    return passed('A connection was used again.');
  }
  return warning({
    detail: 'Every request needed a new connection.',
    fix: 'Switch keep-alive on in the receiver, or in the proxy before it.',
  });
}

export const accessCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'access',
      title: 'It lets the requests in',
      why:
        'Requests carry no login. Once the destination or the account has a signing secret they are signed, ' +
        "and the receiver's check must agree.",
    },
    access(about),
  );

function access({ isSigned, seen }: Case): Finding {
  const [first] = seen.values();
  if (first?.exchange.type !== 'reply') return skipped('No reply came.');
  const { status } = first.exchange;
  if (isRedirect(status)) return skipped('The address redirects.');
  if (!isRefused(status)) return passed(`A request ${isSigned ? 'with' : 'without'} a signature was let in.`);
  return failed({ ...statusFault(status, '2xx'), fix: isSigned ? SAME_SECRET : NEEDS_SECRET });
}

const NO_FILTER = 'No login, CSRF token or address filter may stand before the receiver.';
const SAME_SECRET =
  'Give the receiver the same signing secret as the destination, or else as the account, and verify the body as it ' +
  `came. ${NO_FILTER}`;
const NEEDS_SECRET = `If the receiver verifies signatures: create a signing secret, so that requests are signed. ${NO_FILTER}`;

export const webPageCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'web-page',
      title: 'Your application answers, not a web page',
      why: 'Any 2xx delivers a notification. If a bot challenge, a login form or a parked domain answers, the application gets nothing.',
    },
    webPage(about),
  );

function webPage({ seen }: Case): Finding {
  const replies = [...seen.values()].flatMap(({ exchange }) => (exchange.type === 'reply' ? [exchange] : []));
  if (replies.length === 0) return skipped('No reply came.');
  for (const reply of replies) {
    const fault = webPageFault(reply);
    if (fault !== undefined) {
      return warning({ detail: `The receiver answered HTTP ${reply.status}, and ${fault}.`, fix: WEB_PAGE_FIX });
    }
  }
  return passed('No reply was a web page.');
}

export const wrongSignatureCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'wrong-signature',
      title: 'It refuses a wrong signature',
      why: 'Without this check, anyone who knows the address can send forged events.',
    },
    wrongSignature(about),
  );

function wrongSignature({ isSigned, seen, stopped }: Case): Finding {
  if (!isSigned)
    return skipped('Neither the destination nor the account has a signing secret, so requests are not signed.');
  const exchange = seen.get('stranger')?.exchange;
  if (exchange === undefined) return skipped(stopped ?? NOT_SENT);
  if (exchange.type !== 'reply') return skipped('No reply came.');
  if (!isSuccess(exchange.status)) return passed(`It was refused with HTTP ${exchange.status}.`);
  return warning({
    detail: 'A request with a wrong signature was accepted.',
    fix: 'Verify webhook-signature before anything else, and answer 401 when it is wrong.',
  });
}
