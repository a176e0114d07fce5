/** What an account has in a shard, as `lua/includes/sums.lua` packs it. */
export interface AccountSums {
  /** Appended and neither delivered nor given up, resends included. */
  readonly events: number;
  /** Of mailboxes, resends and dead letters. */
  readonly bytes: number;
  /** In chunk jobs. */
  readonly queuedEvents: number;
  readonly queuedBytes: number;
}

const NOTHING: AccountSums = { events: 0, bytes: 0, queuedEvents: 0, queuedBytes: 0 };

export const readSums = (packed: Buffer | null | undefined): AccountSums =>
  packed == null || packed.length === 0
    ? NOTHING
    : {
        events: packed.readUInt32BE(0),
        bytes: packed.readUIntBE(4, 6),
        queuedEvents: packed.readUInt32BE(10),
        queuedBytes: packed.readUIntBE(14, 6),
      };
