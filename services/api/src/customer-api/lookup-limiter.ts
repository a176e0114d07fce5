import { ProblemError } from '@mailhook/platform/http-server';

/** Runs one event lookup per account at a time on this replica, because a lookup reads all waiting events of the account, up to a limit. */
export interface LookupLimiter {
  /** Runs `work` when it is the account's turn. Rejects with a 429 if too many lookups of the account wait already. */
  run<Result>(account: string, work: () => Promise<Result>): Promise<Result>;
}

/** Most lookups of an account that run or wait. The settings page starts two at once, because its search text may be a hash or a message id. */
const IN_PROGRESS_MAX = 6;
const RETRY_SECONDS = 5;

export function createLookupLimiter(inProgressMax = IN_PROGRESS_MAX): LookupLimiter {
  const lines = new Map<string, { last: Promise<unknown>; inProgress: number }>();
  return {
    async run(account, work) {
      const line = lines.get(account) ?? { last: Promise.resolve(), inProgress: 0 };
      if (line.inProgress >= inProgressMax) throw tooMany();
      lines.set(account, line);
      line.inProgress += 1;
      const turn = line.last.then(work, work);
      line.last = turn;
      try {
        return await turn;
      } finally {
        line.inProgress -= 1;
        if (line.inProgress === 0) lines.delete(account);
      }
    },
  };
}

const tooMany = (): ProblemError =>
  new ProblemError('rate_limited', {
    detail: 'This account has too many event lookups in progress. Wait until they end, then try again.',
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
