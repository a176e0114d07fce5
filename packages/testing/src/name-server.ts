import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

/** A private DNS server. Tests set the addresses of its names. */
export interface FakeNameServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** The questions so far, such as `A example.test`. */
  readonly questions: readonly string[];
  /**
   * Sets the addresses of a name, with a TTL of `ttlSeconds` (default 1). `silent` sends no answer. `servfail` answers
   * SERVFAIL, as if the name's authoritative server were dead. A name that was never set gets NXDOMAIN.
   */
  setName(name: string, addresses: readonly string[] | 'silent' | 'servfail', ttlSeconds?: number): void;
  /** The name's first question for IPv4 addresses gets the first answer, and so on. The last answer stays. */
  setAnswersInTurn(name: string, answers: readonly (readonly string[])[]): void;
  /** While away, the server answers nothing. */
  setAway(isAway: boolean): void;
  close(): Promise<void>;
}

const IPV4 = 1;
const TYPES: Readonly<Record<number, string>> = { [IPV4]: 'A', 28: 'AAAA' };

interface Known {
  readonly addresses: readonly string[] | 'silent' | 'servfail';
  readonly ttlSeconds: number;
}

export async function startNameServer(): Promise<FakeNameServer> {
  const names = new Map<string, Known>();
  const turns = new Map<string, (readonly string[])[]>();
  let isAway = false;
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    questions.push(`${TYPES[type] ?? String(type)} ${name}`);
    const next = type === IPV4 ? turns.get(name)?.shift() : undefined;
    if (next !== undefined) names.set(name, { addresses: next, ttlSeconds: 1 });
    const known = names.get(name);
    if (isAway || known?.addresses === 'silent') return;
    socket.send(answer(query.subarray(0, end), type, known), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    setName: (name, addresses, ttlSeconds = 1) => void names.set(name, { addresses, ttlSeconds }),
    setAnswersInTurn: (name, answers) => void turns.set(name, [...answers]),
    setAway: (next) => {
      isAway = next;
    },
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

const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;
const RESPONSE = 0x8180;

/** Copies header and question from the query. The answers refer to its name with a compression pointer. */
function answer(question: Buffer, type: number, known: Known | undefined): Buffer {
  const family = type === IPV4 ? 4 : 6;
  const addresses = Array.isArray(known?.addresses) ? (known.addresses as readonly string[]) : [];
  const records = addresses
    .filter((ip) => isIP(ip) === family)
    .map((ip) => record(type, addressBytes(ip), known?.ttlSeconds ?? 0));
  const header = Buffer.from(question);
  header.writeUInt16BE(RESPONSE + codeOf(known), 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, ...records]);
}

function codeOf(known: Known | undefined): number {
  if (known === undefined) return NO_SUCH_NAME;
  return known.addresses === 'servfail' ? SERVER_FAILURE : NO_ERROR;
}

function record(type: number, data: Buffer, ttlSeconds: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttlSeconds, 6);
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
