import { z } from 'zod';
import type { CodedText } from '../domain/coded-text.ts';

/** A field with an English sentence in JSON. Inside a process it is the coded text, which pages translate. */
export const sentenceField = (): z.ZodType<CodedText> => z.string() as unknown as z.ZodType<CodedText>;
