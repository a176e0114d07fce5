import type { AxiosInstance, AxiosRequestConfig, AxiosResponse } from 'axios';
import axios from 'axios';
import type { ExchangeDeps, ExchangeRequest, TimedExchange } from './exchange.ts';
import { exchange } from './exchange.ts';

/** What the adapter needs beyond axios's own settings. */
interface ExchangeConfig extends AxiosRequestConfig<string> {
  /** A function, because axios copies objects deeply. */
  readonly exchange: () => ExchangeRequest;
}

/**
 * Creates an axios instance whose adapter makes an exchange under the deadline. `data` is the result of the exchange,
 * so a receiver's failure is a value and never an exception.
 */
export function createAxios(deps: ExchangeDeps): AxiosInstance {
  return axios.create({
    method: 'post',
    transformRequest: [],
    transformResponse: [],
    validateStatus: null,
    adapter: async (config): Promise<AxiosResponse<TimedExchange>> => {
      const data = await exchange(deps, (config as unknown as ExchangeConfig).exchange());
      const { status, statusText } = data.type === 'reply' ? data : { status: 0, statusText: data.type };
      return { data, status, statusText, headers: {}, config };
    },
  });
}

export async function postByAxios(
  client: AxiosInstance,
  url: string,
  request: ExchangeRequest,
): Promise<TimedExchange> {
  const config: ExchangeConfig = { url, data: request.body, exchange: () => request };
  const reply = await client.request<TimedExchange>(config);
  return reply.data;
}
