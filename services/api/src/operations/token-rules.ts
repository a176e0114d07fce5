import { TOKENS_MAX } from '@mailhook/core';
import { invalid } from '@mailhook/platform/http-server';
import type { TokenRules } from '../accounts/access-tokens.ts';
import { unknownAccount } from './accounts-overview.ts';

/** For operators who make access tokens of accounts. */
export const operatorRules: TokenRules = {
  max: TOKENS_MAX,
  tooMany: () =>
    invalid([
      {
        path: 'account',
        message: `has ${TOKENS_MAX} tokens already, the most there may be: revoke one that is not used`,
      },
    ]),
  unknownAccount,
  unknownToken: 'This account has no token with this id.',
};
