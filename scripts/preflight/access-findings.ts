import { tokenFault } from '@mailhook/platform/config';
import type { Facts } from './facts.ts';
import type { Finding } from './finding.ts';
import { finding, label } from './finding.ts';

/** Checks that nobody can guess the tokens. */
export function tokens({ guessedTokens, targets }: Facts): Finding[] {
  const known = [
    ['the admin token', targets.adminToken],
    ['the producer token', targets.producerToken],
  ] as const;
  const isSame = targets.adminToken !== undefined && targets.adminToken === targets.producerToken;
  return [
    guesses(guessedTokens),
    ...known.map(([name, token]) => {
      if (token === undefined)
        return finding(`${name} is long`, 'unknown', 'not given', 'give it, by option or environment');
      const found = isSame
        ? 'both tokens are the same'
        : `${token.length} characters, ${new Set(token).size} different`;
      return finding(
        `${name} is long`,
        isSame || tokenFault(token) !== undefined ? 'fail' : 'pass',
        found,
        'set it to the output of: openssl rand -hex 32',
      );
    }),
  ];
}

function guesses(known: Facts['guessedTokens']): Finding {
  const check = 'no token is one that anybody would try';
  if (known === undefined)
    return finding(
      check,
      'unknown',
      'the api judged none',
      'give the api as the first --ops-url, and see that it runs',
    );
  if (known.length === 0) return finding(check, 'pass', 'the usual ones are refused');
  return finding(check, 'fail', `known: ${known.join(', ')}`, 'set the tokens to outputs of: openssl rand -hex 32');
}

/** Checks that the operations ports are inside. */
export const operationsAddresses = ({ services }: Facts): Finding[] =>
  services.map(({ url, publicAddresses }) =>
    finding(
      `${url} is inside`,
      publicAddresses.length === 0 ? 'pass' : 'warn',
      publicAddresses.length === 0 ? 'no public address' : `its address ${publicAddresses.join(', ')} is public`,
      'unset OPS_HOST, which is 127.0.0.1 then, or set it to an address inside',
    ),
  );

/** Checks that customers cannot make the workers send to private addresses. */
export function privateDestinations({ services }: Facts): Finding[] {
  return services.map(({ url, series }) => {
    const setting = label(series, 'mailhook_info', 'private_destinations');
    const verdict = setting === undefined ? 'unknown' : setting === 'blocked' ? 'pass' : 'fail';
    const fix =
      setting === undefined
        ? 'see that it runs, and that it is a service of Mailhook'
        : 'unset ALLOW_PRIVATE_DESTINATIONS; DESTINATION_ALLOW_CIDRS names single networks';
    return finding(`${url} cannot be led inside`, verdict, `private destinations ${setting ?? 'unknown'}`, fix);
  });
}

/** Checks that signing secrets and logins of receivers are stored encrypted, with the same key everywhere. */
export function storedSecrets({ services }: Facts): Finding {
  const check = 'stored secrets are encrypted';
  const keys = [...new Set(services.map(({ series }) => label(series, 'mailhook_info', 'secrets_key') ?? 'unknown'))];
  const found = `SECRETS_KEY ${keys.join(', ')}`;
  if (keys.includes('unknown'))
    return finding(check, 'unknown', found, 'see that each --ops-url leads to a service that runs');
  if (keys.length > 1)
    return finding(check, 'fail', found, 'set the same SECRETS_KEY on the api and all workers, and restart them');
  const fix =
    'set SECRETS_KEY to the output of: openssl rand -base64 32; secrets in the store are encrypted within a minute';
  return finding(check, keys[0] === 'none' ? 'warn' : 'pass', found, fix);
}

const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;

/** Checks what customers can reach and what they must not reach. */
export function publicPort({ publicPort: port, targets }: Facts): Finding[] {
  if (port.fault !== undefined)
    return [finding('the public API answers', 'fail', port.fault, 'check the Ingress, and --url')];
  const isHttps = targets.publicUrl.startsWith('https://');
  const status = port.unsignedStatus;
  return [
    finding(
      'the public API wants a token',
      status === 401 ? 'pass' : 'fail',
      `${status ?? 0} without one`,
      (status ?? 0) >= 500 ? 'see that the api is ready' : 'see that --url leads to PORT of the api',
    ),
    finding(
      'the public API is behind TLS',
      isHttps ? 'pass' : 'fail',
      targets.publicUrl,
      'give it a certificate at the Ingress: tokens travel in it',
    ),
    finding(
      'PUBLIC_URL is where customers reach it',
      originOf(port.documentedUrl) === originOf(targets.publicUrl) ? 'pass' : 'fail',
      port.documentedUrl === undefined ? '/openapi.json names none' : `the documentation names ${port.documentedUrl}`,
      `set PUBLIC_URL to ${originOf(targets.publicUrl) ?? targets.publicUrl}: portal links and sessions depend on it`,
    ),
    finding(
      'the operations port is not public',
      port.leaks.length === 0 ? 'pass' : 'fail',
      port.leaks.length === 0
        ? 'its paths are not found there'
        : `${port.leaks.join(', ')} can be reached from outside`,
      'publish PORT only, never OPS_PORT',
    ),
  ];
}
