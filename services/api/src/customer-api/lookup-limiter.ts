import { ProblemError } from '@mailhook/platform/http-server';

/** Lets an account look for one event at a time on this replica: a look-up reads all that waits for it, up to a bound. */
export interface LookupTurns {
  /** Runs `work` when it is the account's turn; rejects with a 429 when too many wait for theirs already. */
  run<Result>(account: string, work: () => Promise<Result>): Promise<Result>;
}

/** The one that runs included. A page asks for two at once: the text may be a hash or a messageId. */
const UNDER_WAY_MAX = 6;
const RETRY_SECONDS = 5;

export function createLookupTurns(underWayMax = UNDER_WAY_MAX): LookupTurns {
  const lines = new Map<string, { last: Promise<unknown>; underWay: number }>();
  return {
    async run(account, work) {
      const line = lines.get(account) ?? { last: Promise.resolve(), underWay: 0 };
      if (line.underWay >= underWayMax) throw tooMany();
      lines.set(account, line);
      line.underWay += 1;
      const turn = line.last.then(work, work);
      line.last = turn;
      try {
        return await turn;
      } finally {
        line.underWay -= 1;
        if (line.underWay === 0) lines.delete(account);
      }
    },
  };
}

const tooMany = (): ProblemError =>
  new ProblemError('rate_limited', {
    detail: 'Too many events of this account are being looked for. Wait until these look-ups end.',
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
