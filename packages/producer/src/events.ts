/** What every event has. */
interface Common {
  /** The account that the event belongs to. */
  readonly account: string;
  /**
   * Idempotency key, up to 100 characters. Mailhook delivers an account's `id` once within 24 hours, so a repeated
   * request duplicates no event. The producer gives a random one to each event that has none.
   */
  readonly id?: string | undefined;
}

interface Transactional extends Common {
  readonly module: 'transactional_email';
  /** The message that the event concerns. */
  readonly messageId: string;
  /** When it happened, in Unix seconds. */
  readonly time: number;
}

interface Campaign extends Common {
  readonly module: 'campaign';
  /** Exactly 10 characters. */
  readonly campaign: string;
  /** The recipient. */
  readonly email: string;
  /** When it happened, in Unix seconds. */
  readonly timestamp: number;
  /** 10 to 50 characters. Absent: derived from the other fields, so that identical events have one hash. */
  readonly hash?: string | undefined;
}

/** An event of a transactional message. */
export type TransactionalEvent =
  | (Transactional & { readonly name: 'open'; readonly ip: string })
  | (Transactional & { readonly name: 'click'; readonly ip: string; readonly userAgent: string; readonly url: string })
  | (Transactional & { readonly name: 'bounce'; readonly type: 'hard' | 'soft'; readonly reason: string });

/** An event of a campaign. */
export type CampaignEvent =
  | (Campaign & { readonly event: 'open' })
  | (Campaign & { readonly event: 'click'; readonly url: string })
  | (Campaign & { readonly event: 'unsubscribe' });

/** An event that a producer may send. `module` decides its kind. */
export type ProducerEvent = TransactionalEvent | CampaignEvent;
