import type { EventLog } from '@mailhook/event-log';

/**
 * A log that is opened by its first call, and tried again by each one until it is: an api must start, take events and
 * deliver them while the store is away.
 */
export function createLazyLog(open: () => Promise<EventLog>): EventLog {
  let log: EventLog | undefined;
  let opening: Promise<EventLog> | undefined;
  const opened = async (): Promise<EventLog> => {
    if (log !== undefined) return log;
    opening ??= open().finally(() => (opening = undefined));
    log = await opening;
    return log;
  };
  return {
    close: async (...args) => (await opened()).close(...args),
    search: async (...args) => (await opened()).search(...args),
    scan: async (...args) => (await opened()).scan(...args),
    count: async (...args) => (await opened()).count(...args),
    find: async (...args) => (await opened()).find(...args),
    addLost: async (...args) => (await opened()).addLost(...args),
    erase: async (...args) => (await opened()).erase(...args),
    holdsAccount: async (...args) => (await opened()).holdsAccount(...args),
    probe: async () => (await opened()).probe(),
    extent: async () => (await opened()).extent(),
    maintain: async (...args) => (await opened()).maintain(...args),
    get indexBytes() {
      return log?.indexBytes ?? 0;
    },
  };
}
