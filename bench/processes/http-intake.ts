import { Agent } from 'undici';

/** Where to post events. */
export interface Intake {
  readonly url: string;
  readonly token: string;
}

const agent = new Agent({ connections: null, pipelining: 1 });

/** Posts bodies as a producer does. Rejects unless the reply is a 202. */
export function createHttpIntake({ url, token }: Intake): (body: string) => Promise<void> {
  const { origin, pathname } = new URL(url);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return async (body) => {
    const reply = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
    const text = await reply.body.text();
    if (reply.statusCode !== 202) throw new Error(`the intake answered ${reply.statusCode}: ${text.slice(0, 200)}`);
  };
}
