import { coded, isRedirect, webPageFault } from '@mailhook/core';
import type { CodedText, ReceiverCheck } from '@mailhook/core';
import type { Finding } from './findings.ts';
import {
  asCheck,
  failed,
  isRefused,
  isSuccess,
  passed,
  secondsOf,
  skipped,
  statusFault,
  subjectOf,
  transportFault,
  warning,
} from './findings.ts';
import type { Case, Observation } from './observations.ts';

/** Checks that both mechanisms share: connection, TLS, redirects, reply time, keep-alive, access and signatures. */

const NOT_SENT = coded('nothing-sent');

export const reachableCheck = (about: Case): ReceiverCheck => asCheck(subjectOf('reachable'), reachable(about));

function reachable({ seen, timeoutMs }: Case): Finding {
  const [first] = seen.values();
  if (first === undefined) return skipped(NOT_SENT);
  const { exchange } = first;
  if (exchange.type === 'reply' || exchange.type === 'invalid-reply' || isTlsFault(first)) {
    return passed(coded('connected'));
  }
  return failed(transportFault(exchange, timeoutMs));
}

const isTlsFault = ({ exchange }: Observation): boolean =>
  exchange.type === 'unreachable' && exchange.detail.code.startsWith('tls-');

export const tlsCheck = (about: Case): ReceiverCheck => asCheck(subjectOf('tls'), tls(about));

function tls({ address, seen, timeoutMs }: Case): Finding {
  const [first] = seen.values();
  const { protocol, hostname } = new URL(address);
  if (protocol === 'http:') {
    if (isThisMachine(hostname)) return skipped(coded('plain-here'));
    return warning({ detail: coded('plain-http'), fix: coded('fix-plain') });
  }
  if (first === undefined) return skipped(NOT_SENT);
  if (first.exchange.type === 'reply' || first.exchange.type === 'invalid-reply') {
    return passed(coded('certificate-valid'));
  }
  return isTlsFault(first) ? failed(transportFault(first.exchange, timeoutMs)) : skipped(coded('no-certificate'));
}

const isThisMachine = (hostname: string): boolean => /^(localhost$|127\.|\[::1\])/.test(hostname);

export const redirectCheck = (about: Case): ReceiverCheck => asCheck(subjectOf('no-redirect'), redirect(about));

function redirect({ seen }: Case): Finding {
  const statuses = [...seen.values()].flatMap(({ exchange }) => (exchange.type === 'reply' ? [exchange.status] : []));
  const found = statuses.find(isRedirect);
  if (statuses.length === 0) return skipped(coded('no-replies'));
  return found === undefined
    ? passed(coded('no-redirects'))
    : failed({ ...statusFault(found, '2xx'), detail: coded('is-redirect', { status: found }) });
}

export const replyTimeCheck = (about: Case): ReceiverCheck =>
  asCheck(
    {
      id: 'reply-time',
      title: coded('reply-time.title', { seconds: secondsOf(about.timeoutMs) }),
      why: coded('reply-time.why', { seconds: secondsOf(about.timeoutMs) }),
    },
    replyTime(about),
  );

function replyTime({ seen, timeoutMs }: Case): Finding {
  const all = [...seen.values()];
  const late = all.find(({ exchange }) => exchange.type === 'timeout');
  if (late !== undefined) return failed(transportFault({ type: 'timeout' }, timeoutMs));
  const replies = all.filter(({ exchange }) => exchange.type === 'reply');
  if (replies.length === 0) return skipped(coded('no-replies'));
  const slowestMs = Math.max(...replies.map(({ exchange }) => exchange.durationMs));
  const detail = slowest(replies.length, slowestMs);
  if (slowestMs <= timeoutMs / 2) return passed(detail);
  return warning({
    detail,
    fix: coded('fix-slow', { seconds: secondsOf(timeoutMs) }),
  });
}

const slowest = (replies: number, ms: number): CodedText =>
  ms < 1000
    ? coded('slowest-ms', { replies, ms: Math.max(1, Math.round(ms)) })
    : coded('slowest-s', { replies, seconds: secondsOf(ms) });

export const keepAliveCheck = (about: Case): ReceiverCheck => asCheck(subjectOf('keep-alive'), keepAlive(about));

function keepAlive({ seen }: Case): Finding {
  const replies = [...seen.values()].filter(({ exchange }) => exchange.type === 'reply');
  if (replies.length < 2) return skipped(coded('two-replies'));
  if (replies.slice(1).some(({ exchange }) => exchange.isConnectionReused)) {
    return passed(coded('reused'));
  }
  return warning({
    detail: coded('not-reused'),
    fix: coded('fix-keep-alive'),
  });
}

export const accessCheck = (about: Case): ReceiverCheck => asCheck(subjectOf('access'), access(about));

function access({ isSigned, seen }: Case): Finding {
  const [first] = seen.values();
  if (first?.exchange.type !== 'reply') return skipped(coded('no-replies'));
  const { status } = first.exchange;
  if (isRedirect(status)) return skipped(coded('redirects-all'));
  if (!isRefused(status)) return passed(coded(isSigned ? 'let-in-signed' : 'let-in'));
  return failed({ ...statusFault(status, '2xx'), fix: coded(isSigned ? 'fix-same-secret' : 'fix-secret') });
}

export const webPageCheck = (about: Case): ReceiverCheck => asCheck(subjectOf('web-page'), webPage(about));

function webPage({ seen }: Case): Finding {
  const replies = [...seen.values()].flatMap(({ exchange }) => (exchange.type === 'reply' ? [exchange] : []));
  if (replies.length === 0) return skipped(coded('no-replies'));
  for (const reply of replies) {
    const fault = webPageFault(reply);
    if (fault !== undefined) {
      return failed({ detail: coded('is-page', { status: reply.status, fault }), fix: coded('webPage') });
    }
  }
  return passed(coded('no-page'));
}

export const wrongSignatureCheck = (about: Case): ReceiverCheck =>
  asCheck(subjectOf('wrong-signature'), wrongSignature(about));

function wrongSignature({ isSigned, seen, stopped }: Case): Finding {
  if (!isSigned) return skipped(coded('unsigned'));
  const exchange = seen.get('stranger')?.exchange;
  if (exchange === undefined) return skipped(stopped ?? NOT_SENT);
  if (exchange.type !== 'reply') return skipped(coded('no-replies'));
  if (!isSuccess(exchange.status)) return passed(coded('forgery-refused', { status: exchange.status }));
  return warning({
    detail: coded('forgery-taken'),
    fix: coded('fix-signature'),
  });
}
