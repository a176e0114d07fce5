import { X509Certificate } from 'node:crypto';
import { aCertificate } from './certificate.ts';

test.each([
  ['ec', false],
  ['rsa', true],
])('a certificate with a key of the type %s is signed with it', (type, isRsa) => {
  const certificate = new X509Certificate(aCertificate({ name: '*.receivers.localhost', isRsa }).cert);
  expect(certificate.publicKey.asymmetricKeyType).toBe(type);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkHost('d1.receivers.localhost')).toBe('*.receivers.localhost');
});
