import { messageOf, UserError } from '../user-error.ts';

/** Calls the API with JSON and a bearer token. */
export interface ApiClient {
  /** Resolves with the parsed body of a 2xx. @throws UserError that names the call, the status and the body. */
  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<unknown>;
}

const TIMEOUT_MS = 15_000;

export function createApiClient(baseUrl: string, token: string): ApiClient {
  return {
    call: async (method, path, body) => {
      const url = new URL(path, baseUrl);
      const reply = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json;charset=UTF-8' },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: unknown) => {
        throw new UserError(`${method} ${url.href} failed: ${messageOf(error)}`);
      });
      const text = await reply.text();
      if (!reply.ok)
        throw new UserError(`${method} ${url.href} was answered with ${reply.status}: ${text.slice(0, 500)}`);
      return JSON.parse(text) as unknown;
    },
  };
}
