import { generateKeyPairSync, sign } from 'node:crypto';

export interface CertificateOptions {
  /** The certificate's DNS name. */
  readonly name: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Its purpose is the authentication of clients only. */
  readonly isForClients?: boolean;
  /** RSA 2048. Default: ECDSA P-256. */
  readonly isRsa?: boolean;
}

/**
 * A self-signed certificate and its key, both PEM, for receivers with TLS. The dates can make it expired or not yet
 * valid.
 */
export function aCertificate(options: CertificateOptions): { readonly key: string; readonly cert: string } {
  const isRsa = options.isRsa ?? false;
  const { privateKey, publicKey } = isRsa
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = isRsa ? RSA_SHA256 : ECDSA_SHA256;
  const dayMs = 86_400_000;
  const validity = sequence(
    time(options.notBefore ?? new Date(Date.now() - dayMs)),
    time(options.notAfter ?? new Date(Date.now() + dayMs)),
  );
  const name = sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(options.name)))));
  const altNames = sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(der(0x82, Buffer.from(options.name)))));
  const toSign = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altNames, ...(options.isForClients === true ? [FOR_CLIENTS] : []))),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', toSign, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(toSign, algorithm, signature)),
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const oid = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes));
const integer = (value: number): Buffer => der(0x02, Buffer.of(value));
/** GeneralizedTime. */
const time = (at: Date): Buffer => der(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, '')));
const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const RSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b), Buffer.of(0x05, 0x00));

/** The extension extKeyUsage with clientAuth. */
const FOR_CLIENTS = sequence(
  oid(0x55, 0x1d, 0x25),
  der(0x04, sequence(oid(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02))),
);

const pem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${(bytes.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ` +
  'CERTIFICATE-----\n';
