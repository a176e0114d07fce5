import { addressVerdict } from './address-verdict.ts';
import { literalAddressFault } from './literal-address.ts';
import type { EgressPolicy } from './policy.ts';

const strict: EgressPolicy = { allowPrivate: false, allowCidrs: [], deniedPorts: [25] };
const lenient: EgressPolicy = { ...strict, allowPrivate: true };
const listing = (...allowCidrs: string[]): EgressPolicy => ({ ...strict, allowCidrs });

const PRIVATE = [
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.9.9.9',
  '::1',
  'fd12::1',
  'fc00::1',
];
const NEVER = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'fd00:ec2::254',
  '2001:db8::1',
  '100::1',
  '4000::1',
  '64:ff9b:1::1',
];
const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'];

const hex = (ip: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
};
const inverted = (ip: string): string =>
  ip
    .split('.')
    .map((byte) => 255 - Number(byte))
    .join('.');
const FORMS: Record<string, (ip: string) => string> = {
  'IPv4-mapped': (ip) => `::ffff:${ip}`,
  'IPv4-mapped, in hex': (ip) => `::ffff:${hex(ip)}`,
  'IPv4-translated': (ip) => `::ffff:0:${hex(ip)}`,
  'IPv4-compatible': (ip) => `::${hex(ip)}`,
  NAT64: (ip) => `64:ff9b::${hex(ip)}`,
  '6to4': (ip) => `2002:${hex(ip)}::1`,
  Teredo: (ip) => `2001:0:1234:5678:0:0:${hex(inverted(ip))}`,
};

describe('addressVerdict', () => {
  test.each(PUBLIC)('%s is allowed', (ip) => expect(addressVerdict(ip, strict)).toBeUndefined());
  test.each(PRIVATE)('%s is allowed only with allowPrivate', (ip) => {
    expect(addressVerdict(ip, strict)).toBeDefined();
    expect(addressVerdict(ip, lenient)).toBeUndefined();
  });
  test.each(NEVER)('%s is never allowed', (ip) => {
    expect(addressVerdict(ip, strict)).toBeDefined();
    expect(addressVerdict(ip, lenient)).toBeDefined();
  });
  describe.each(Object.entries(FORMS))('%s: the embedded IPv4 address decides', (_name, form) => {
    test.each(['10.0.0.1', '127.0.0.1', '169.254.169.254', '192.168.0.1'])('%s is blocked', (ip) => {
      expect(addressVerdict(form(ip), strict)).toBeDefined();
    });
    test('a public address is allowed', () => expect(addressVerdict(form('8.8.8.8'), strict)).toBeUndefined());
    test('a listed address is allowed', () =>
      expect(addressVerdict(form('10.0.0.1'), listing('10.0.0.0/8'))).toBeUndefined());
  });
  test('a listed network is allowed, and its neighbor is not', () => {
    expect(addressVerdict('127.0.0.2', listing('127.0.0.2/32'))).toBeUndefined();
    expect(addressVerdict('127.0.0.3', listing('127.0.0.2/32'))).toEqual('a loopback address');
    expect(addressVerdict('fd00::5', listing('10.0.0.0/8', 'fd00::/64'))).toBeUndefined();
    expect(addressVerdict('169.254.169.254', listing('169.254.169.254/32'))).toBeUndefined();
  });
  describe('a denied network', () => {
    const denying = (...denyCidrs: string[]): EgressPolicy => ({ ...lenient, denyCidrs });

    test.each([
      ['8.8.8.8', '8.8.8.0/24'],
      ['2606:4700::1', '2606:4700::/32'],
      ['127.0.0.1', '127.0.0.0/8'],
      ['64:ff9b::808:808', '8.8.8.0/24'],
      ['2002:808:808::1', '8.8.8.0/24'],
      ['2606:4700::5efe:808:808', '8.8.8.0/24'],
      ['::ffff:8.8.8.8', '::ffff:0:0/96'],
    ])('%s is blocked by %s', (ip, network) => {
      expect(addressVerdict(ip, denying(network))).toEqual('an address that Mailhook must not call');
      expect(addressVerdict(ip, denying('9.0.0.0/8', '2a00::/16'))).toBeUndefined();
    });

    test('has priority over an allowed one', () => {
      const policy = { ...listing('10.0.0.0/8'), denyCidrs: ['10.1.0.0/16'] };
      expect(addressVerdict('10.2.0.1', policy)).toBeUndefined();
      expect(addressVerdict('10.1.0.1', policy)).toEqual('an address that Mailhook must not call');
    });
  });

  test('an own address of the machine is blocked, unless it or all private addresses are allowed', () => {
    const own = { ownAddresses: () => ['8.8.4.4', '2606:4700:0::7'] };
    for (const ip of ['8.8.4.4', '::ffff:8.8.4.4', '64:ff9b::808:404', '2606:4700::7']) {
      expect(addressVerdict(ip, { ...strict, ...own })).toEqual('an address that Mailhook must not call');
      expect(addressVerdict(ip, { ...lenient, ...own })).toBeUndefined();
      expect(addressVerdict(ip, { ...listing('8.8.4.4/32', '2606:4700::7/128'), ...own })).toBeUndefined();
    }
    expect(addressVerdict('8.8.4.5', { ...strict, ...own })).toBeUndefined();
  });

  test('the embedded address decides in ISATAP too, and the network before it', () => {
    for (const id of ['0:5efe', '200:5efe']) {
      expect(addressVerdict(`2620:0:1::${id}:a00:1`, strict)).toEqual('a private address');
      expect(addressVerdict(`2620:0:1::${id}:a9fe:a9fe`, lenient)).toEqual('a cloud metadata address');
      expect(addressVerdict(`2620:0:1::${id}:808:808`, strict)).toBeUndefined();
      expect(addressVerdict(`fd00::${id}:808:808`, strict)).toEqual('a private address');
    }
  });

  test.each([
    ['2a00:1450::ffff:0:0/96', ['2a00:1450::ffff:a00:1', '2a00:1450::ffff:a9fe:a9fe', '2a00:1450::ffff:808:808']],
    ['64:ff9b:1::/48', ['64:ff9b:1:a00:0:100::', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b:1:808:8:800::']],
    ['2a00:1450::/64', ['2a00:1450::a:0:100:0', '2a00:1450::a9:fea9:fe00:0', '2a00:1450::8:808:800:0']],
    ['2a00:1450::/32', ['2a00:1450:a00:1::', '2a00:1450:a9fe:a9fe::', '2a00:1450:808:808::']],
  ] as const)('the embedded address decides behind a NAT64 prefix of the network: %s', (prefix, ips) => {
    const policy = { ...strict, nat64Prefixes: [prefix] };
    expect(ips.map((ip) => addressVerdict(ip, policy))).toEqual([
      'a private address',
      'a cloud metadata address',
      undefined,
    ]);
  });

  test('a text that is not an IP address is blocked', () =>
    expect(addressVerdict('example.com', lenient)).toEqual('not an IP address'));
});

describe('literalAddressFault', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1:8080/hook',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://127.0.0.1./',
    'http://%31%32%37.0.0.1/',
    'http://１２７.０.０.１/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]/',
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://app.localhost/',
  ])('%s is recognized as loopback', (address) => {
    expect(literalAddressFault(address, strict)).toBe('must not lead to a loopback address; use a public address');
    expect(literalAddressFault(address, lenient)).toBeUndefined();
  });
  test.each(['http://[2001:db8::1]/', 'http://[5f00::1]/', 'http://192.0.2.1/', 'http://240.0.0.1/'])(
    '%s is reported as reserved',
    (address) => {
      expect(literalAddressFault(address, lenient)).toBe('must not lead to a reserved address; use a public address');
    },
  );
  test.each(['http://10.0.0.1/', 'https://[fd00::1]:8443/', 'http://169.254.169.254/latest/meta-data/', 'http://0/'])(
    '%s is refused',
    (address) => {
      expect(literalAddressFault(address, strict)).toMatch(/^must not lead to/);
    },
  );
  test.each([
    'https://example.com/hook',
    'http://8.8.8.8/',
    'http://localhost.example.com/',
    'https://[2606:4700::1111]/',
  ])('%s is accepted', (address) => {
    expect(literalAddressFault(address, strict)).toBeUndefined();
  });
  test('a denied port is refused and named', () =>
    expect(literalAddressFault('http://example.com:25/', strict)).toBe('must not use port 25'));
});
