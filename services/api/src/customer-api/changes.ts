import type { AuditLog, CustomerServices } from '@mailhook/core';

/** The part of the audit log that is about the account. It names operators, but not where they work. */
export const createChanges =
  (audit: Pick<AuditLog, 'list'>): CustomerServices['changes'] =>
  async (account, query) => {
    const { items, ...more } = await audit.list({ ...query, account });
    const shown = items.map(({ account: _account, client, ...entry }) =>
      entry.actor === 'operator' ? entry : { ...entry, client },
    );
    return { ...more, items: shown };
  };
