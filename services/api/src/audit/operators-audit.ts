import type { AuditLog } from '@mailhook/core';
import { maskReceiverAddress } from '@mailhook/platform/logger';

/** The log as operators read it: of the address of a receiver, the rest after its origin is often a secret. */
export const createOperatorsAudit = (audit: AuditLog): AuditLog => ({
  ...audit,
  async list(query) {
    const { items, ...more } = await audit.list(query);
    const masked = (text: string | null): string | null => (text === null ? null : maskReceiverAddress(text));
    return {
      ...more,
      items: items.map((entry) => ({
        ...entry,
        ...(entry.changes && {
          changes: entry.changes.map((one) =>
            one.field === 'address' ? { ...one, before: masked(one.before), after: masked(one.after) } : one,
          ),
        }),
      })),
    };
  },
});
