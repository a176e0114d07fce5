import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

/** A DNS server of a test's own, for the addresses that a name has. */
export interface FakeNameServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** The questions so far: `A example.test`. */
  readonly questions: readonly string[];
  /** From now on the name has these addresses; 'silent': no answer ever comes. Unknown names do not exist. */
  setName(name: string, addresses: readonly string[] | 'silent'): void;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };
const TTL_SECONDS = 1;

export async function startNameServer(): Promise<FakeNameServer> {
  const names = new Map<string, readonly string[] | 'silent'>();
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    questions.push(`${TYPES[type] ?? String(type)} ${name}`);
    const addresses = names.get(name);
    if (addresses !== 'silent') socket.send(answer(query.subarray(0, end), type, addresses), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    setName: (name, addresses) => void names.set(name, addresses),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Header and question are the query's own; the answers point back at the name in it. */
function answer(question: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const family = type === 1 ? 4 : 6;
  const records = (addresses ?? []).filter((ip) => isIP(ip) === family).map((ip) => record(type, addressBytes(ip)));
  const header = Buffer.from(question);
  header.writeUInt16BE(addresses === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, ...records]);
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(TTL_SECONDS, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function addressBytes(ip: string): Buffer {
  if (isIP(ip) === 4) return Buffer.from(ip.split('.').map(Number));
  const [before = '', after = ''] = ip.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const zeros = Array.from({ length: 8 - groups(before).length - groups(after).length }, () => 0);
  const bytes = Buffer.alloc(16);
  [...groups(before), ...zeros, ...groups(after)].forEach((group, index) => bytes.writeUInt16BE(group, index * 2));
  return bytes;
}
