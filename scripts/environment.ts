import { ConfigError, readConfig } from '@mailhook/platform/config';
import { UserError } from './user-error.ts';

/** As `readConfig`. @throws UserError that lists the faults of the environment. */
export const readEnvironment: typeof readConfig = (...given) => {
  try {
    return readConfig(...given);
  } catch (error) {
    throw error instanceof ConfigError ? new UserError(error.message) : error;
  }
};
