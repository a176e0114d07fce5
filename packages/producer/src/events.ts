/** What every event has. */
interface Common {
  /** The account that the event belongs to. */
  readonly account: string;
  /**
   * Idempotency key of this event, up to 100 characters. Mailhook delivers an account's events of one module, type and
   * `id` once within 24 hours (`EVENT_ID_WINDOW`), so a repeated request duplicates no event. The producer gives a
   * random one to each event that has none. Receivers of version 2 get it.
   */
  readonly id?: string | undefined;
  /** What the sender has put into the message: up to 20 keys with texts of up to 500 characters. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Up to 10 tags of the message, each of up to 128 characters. */
  readonly tags?: readonly string[] | undefined;
}

interface Transactional extends Common {
  readonly module: 'transactional_email';
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
  /** The message that the event concerns. */
  readonly messageId?: string | undefined;
}

/** A transactional event about one message. */
interface OfMessage extends Transactional {
  readonly messageId: string;
}
/** A transactional event about one recipient, and perhaps about one message. */
interface OfRecipient extends Transactional {
  readonly messageId?: string | undefined;
  /** The recipient. */
  readonly email: string;
}
/** A transactional event that version 1 has, where the recipient has no place. */
interface OfMessageAlone extends OfMessage {
  /** The recipient. */
  readonly email?: string | undefined;
}

/** Why, as one of a few words. */
type Cause =
  | 'invalid'
  | 'full'
  | 'policy'
  | 'content'
  | 'reputation'
  | 'auth'
  | 'timeout'
  | 'network'
  | 'suppressed'
  | 'other';

/** What a mail server said. */
interface ServerReply {
  /** The enhanced status code, such as `5.1.1` (RFC 3463). */
  readonly code?: string | undefined;
  /** The SMTP status code, 200 to 599. */
  readonly smtp?: number | undefined;
}
interface Delivery extends ServerReply {
  readonly reason?: string | undefined;
}
interface Refusal extends ServerReply {
  /** The reply's text. May be empty. */
  readonly reason: string;
  readonly cause?: Cause | undefined;
}
interface Deferral extends Refusal {
  /** When the platform tries again, in Unix seconds. */
  readonly nextTry?: number | undefined;
}
interface Bounce extends Refusal {
  /** hard: the address does not work. soft: anything else. */
  readonly type: 'hard' | 'soft';
}
interface Rejection {
  readonly reason: string;
  readonly cause?: Cause | undefined;
}
/** What a tracker knows of an open or a click. */
interface Tracked {
  /** Whether a program did it, not the recipient. */
  readonly machine?: boolean | undefined;
  /** Whether it is the first one of this message and recipient. */
  readonly first?: boolean | undefined;
}
interface Browser {
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
}
interface Complaint {
  /** RFC 5965. */
  readonly feedbackType?: 'abuse' | 'fraud' | 'virus' | 'not-spam' | 'other' | undefined;
  readonly reason?: string | undefined;
}
interface List {
  /** The list, group or stream that it concerns. Absent: all of the account's mail. */
  readonly list?: string | undefined;
}
interface Unsubscribe extends List {
  readonly method?: 'link' | 'one-click' | 'mailto' | 'manual' | undefined;
}
interface Suppression extends List {
  readonly action: 'added' | 'removed';
  readonly cause?: 'bounce' | 'complaint' | 'unsubscribe' | 'manual' | 'other' | undefined;
}
interface Custom {
  /** What it is: up to 100 letters, digits, `_`, `.` or `-`. */
  readonly label: string;
  /** A JSON object of up to 2,048 bytes and 8 levels. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** An event of a transactional message. */
export type TransactionalEvent =
  | (OfMessage & { readonly name: 'sent'; readonly email: string })
  | (OfMessage & Delivery & { readonly name: 'delivered'; readonly email: string })
  | (OfMessage & Deferral & { readonly name: 'deferred'; readonly email: string })
  | (OfMessageAlone & Bounce & { readonly name: 'bounce' })
  | (OfMessage & Rejection & { readonly name: 'rejected'; readonly email: string })
  | (OfMessageAlone & Tracked & { readonly name: 'open'; readonly ip: string; readonly userAgent?: string | undefined })
  | (OfMessageAlone &
      Tracked & { readonly name: 'click'; readonly ip: string; readonly userAgent: string; readonly url: string })
  | (OfMessage & Complaint & { readonly name: 'complaint'; readonly email: string })
  | (OfRecipient & Unsubscribe & { readonly name: 'unsubscribe' })
  | (OfRecipient & List & { readonly name: 'subscribe' })
  | (OfRecipient & Suppression & { readonly name: 'suppression' })
  | (Transactional &
      Custom & {
        readonly name: 'custom';
        readonly messageId?: string | undefined;
        readonly email?: string | undefined;
      });

/** An event of a campaign. */
export type CampaignEvent =
  | (Campaign & { readonly event: 'sent' })
  | (Campaign & Delivery & { readonly event: 'delivered' })
  | (Campaign & Deferral & { readonly event: 'deferred' })
  | (Campaign & Bounce & { readonly event: 'bounce' })
  | (Campaign & Rejection & { readonly event: 'rejected' })
  | (Campaign & Browser & Tracked & { readonly event: 'open' })
  | (Campaign & Browser & Tracked & { readonly event: 'click'; readonly url: string })
  | (Campaign & Complaint & { readonly event: 'complaint' })
  | (Campaign & Unsubscribe & { readonly event: 'unsubscribe' })
  | (Campaign & List & { readonly event: 'subscribe' })
  | (Campaign & Custom & { readonly event: 'custom' });

/** An event that a producer may send. `module` decides its kind. */
export type ProducerEvent = TransactionalEvent | CampaignEvent;
