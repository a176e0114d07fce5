/** The version of Mailhook, which receivers see in `User-Agent`. A test compares it with the root package.json. */
export const MAILHOOK_VERSION = '0.1.0';
