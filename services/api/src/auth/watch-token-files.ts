import { watchFile } from '@mailhook/platform/config';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { ProducerTokens } from '../accounts/producer-tokens.ts';
import type { AdminTokens } from './admin-tokens.ts';
import type { Config } from '../config.ts';

interface TokenUsers {
  readonly adminTokens: AdminTokens;
  readonly producerTokens: Pick<ProducerTokens, 'replaceEnvironmentToken'>;
}

/** Takes changed files of tokens into use until the watches are closed. */
export function watchTokenFiles(
  { ADMIN_TOKEN, PRODUCER_TOKEN, readAgain }: Pick<Config, 'ADMIN_TOKEN' | 'PRODUCER_TOKEN' | 'readAgain'>,
  { adminTokens, producerTokens }: TokenUsers,
  logger: Logger,
): Closeable[] {
  const { adminTokens: readAdmin, producerToken: readProducer } = readAgain;
  const admin = readAdmin && {
    variable: 'ADMIN_TOKEN_FILE',
    read: readAdmin,
    current: ADMIN_TOKEN,
    use: (tokens: Config['ADMIN_TOKEN']) => adminTokens.replace(tokens),
  };
  const producer = readProducer && {
    variable: 'PRODUCER_TOKEN_FILE',
    read: readProducer,
    current: PRODUCER_TOKEN,
    use: (token: string) => producerTokens.replaceEnvironmentToken(token),
  };
  return [...(admin ? [watchFile(admin, logger)] : []), ...(producer ? [watchFile(producer, logger)] : [])];
}
