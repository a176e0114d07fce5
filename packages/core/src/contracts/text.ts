import { z } from 'zod';

/**
 * A text of 1 to `maxChars` characters, without the spaces around it. JSON Schemas ask for a character that is no
 * space.
 */
export const trimmedText = (maxChars: number): z.ZodString =>
  z.string().trim().min(1, 'must have a character other than spaces').max(maxChars).meta({ pattern: '\\S' });
