/** The product's version, as receivers see it in `User-Agent`. The same as in every package.json (a test compares). */
export const MAILHOOK_VERSION = '0.1.0';
