import type { NetworkInterfaceInfo } from 'node:os';
import { publicAddressesOf } from './public-addresses.ts';

const withAddress = (address: string): NetworkInterfaceInfo => ({
  address,
  netmask: '',
  mac: '',
  internal: false,
  cidr: null,
  family: 'IPv4',
});
const interfaces = {
  lo: [withAddress('127.0.0.1'), withAddress('::1')],
  inside: [withAddress('10.0.0.7'), withAddress('fe80::1'), withAddress('fd00::7')],
  outside: [withAddress('198.41.0.4'), withAddress('2a00:1450:4001::7')],
};

test.each([
  ['0.0.0.0', ['198.41.0.4']],
  ['::', ['198.41.0.4', '2a00:1450:4001::7']],
  ['127.0.0.1', []],
  ['10.0.0.7', []],
  ['fd00::7', []],
  ['localhost', []],
  ['198.41.0.4', ['198.41.0.4']],
  ['2a00:1450:4001::7', ['2a00:1450:4001::7']],
])('a listener on %s is public at %j', (host, expected) => {
  expect(publicAddressesOf(host, interfaces)).toEqual(expected);
});

test('a wildcard without public interfaces is not public', () => {
  expect(publicAddressesOf('::', { lo: interfaces.lo, inside: interfaces.inside })).toEqual([]);
});
