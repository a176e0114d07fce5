import { z } from 'zod';
import type { Stack } from './stack.ts';

/** The reply to a write of settings. */
interface WriteReply {
  readonly what: string;
  readonly status: number;
  readonly retryAfter: string | null;
}

/**
 * A customer who keeps changing subscriptions and the campaign address through the public API. Each address is used
 * only once, so that a list shows which writes it contains.
 */
export interface SettingsWriter {
  readonly account: string;
  readonly token: string;
  readonly replies: readonly WriteReply[];
  /**
   * The address of each subscription by the acknowledged writes, or null if deleted. Leaves out subscriptions with a
   * refused write.
   */
  readonly certain: ReadonlyMap<string, string | null>;
  /** The campaign address of the last acknowledged write. Undefined after a refused write. */
  readonly campaign: string | undefined;
  stop(): Promise<void>;
}

export async function startSettingsWriter(stack: Stack, receiverUrl: string, name: string): Promise<SettingsWriter> {
  const { account, token } = await createAccount(stack, name);
  const replies: WriteReply[] = [];
  const certain = new Map<string, string | null>();
  const over = new AbortController();
  let campaign: string | undefined;
  let sequence = 0;
  const newAddress = (): string => `${receiverUrl}/${name}-${(sequence += 1)}`;
  const call = async (method: string, path: string, body?: object): Promise<{ ok: boolean; text: string }> => {
    const reply = await fetch(`${stack.baseUrl}/v3/webhook/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    replies.push({ what: `${method} ${path}`, status: reply.status, retryAfter: reply.headers.get('retry-after') });
    return { ok: reply.ok, text: await reply.text() };
  };
  /** Creates and edits a subscription, deletes it in nine of ten rounds, and changes the campaign address. */
  const round = async (): Promise<void> => {
    const first = newAddress();
    const created = await call('POST', 'subscriptions', {
      address: first,
      type: 'open',
      module: 'transactional_email',
    });
    if (created.ok) {
      const { id } = z.object({ id: z.string() }).parse(JSON.parse(created.text));
      certain.set(id, first);
      const second = newAddress();
      const edited = await call('PUT', `subscriptions/${id}`, { address: second, module: 'transactional_email' });
      if (edited.ok) certain.set(id, second);
      else certain.delete(id);
      // Keeps one of ten subscriptions, because an account may have only a limited number.
      if (sequence % 10 !== 0 && edited.ok) {
        const removed = await call('DELETE', `subscriptions/${id}`);
        if (removed.ok) certain.set(id, null);
        else certain.delete(id);
      }
    }
    const address = newAddress();
    campaign = undefined;
    if ((await call('PUT', 'campaign', { address })).ok) campaign = address;
  };
  const working = (async () => {
    while (!over.signal.aborted) await round();
  })();
  return {
    account,
    token,
    replies,
    certain,
    get campaign() {
      return campaign;
    },
    stop: () => {
      over.abort();
      return working;
    },
  };
}

async function createAccount(stack: Stack, name: string): Promise<{ account: string; token: string }> {
  const admin = async (path: string, body: object): Promise<unknown> => {
    const reply = await fetch(`${stack.opsUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return reply.json();
  };
  const { id } = z.object({ id: z.string() }).parse(await admin('/admin/accounts', { name }));
  const { token } = z.object({ token: z.string() }).parse(await admin(`/admin/accounts/${id}/tokens`, {}));
  return { account: id, token };
}
