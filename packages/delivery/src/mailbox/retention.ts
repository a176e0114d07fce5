/** Dead letters are kept 7 days (design, section 3). */
export const KEPT_MS = 7 * 86_400_000;
