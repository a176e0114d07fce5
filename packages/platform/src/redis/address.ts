/** The address of a Redis Cluster: some of its nodes, from which the client learns the others. */
export interface ClusterAddress {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly isTls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const SHAPE = /^(rediss?)-cluster:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)\/?$/;
const NODE = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 6379;

/**
 * Reads `redis-cluster://[user[:password]@]host[:port][,host[:port]...]`, or `rediss-cluster:` for TLS. User and password are percent-encoded.
 * Returns undefined for other texts, such as the URL of a single Redis (docs/decisions/0012).
 */
export function parseClusterUrl(url: string): ClusterAddress | undefined {
  const [, scheme, username, password, list] = SHAPE.exec(url) ?? [];
  if (list === undefined) return undefined;
  const nodes = list.split(',').map(readNode);
  if (!nodes.every((node) => node !== undefined)) return undefined;
  try {
    return { nodes, isTls: scheme === 'rediss', username: decoded(username), password: decoded(password) };
  } catch {
    return undefined;
  }
}

function readNode(text: string): { host: string; port: number } | undefined {
  const [, host, port = DEFAULT_PORT] = NODE.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

const decoded = (text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : decodeURIComponent(text);
