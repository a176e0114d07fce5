import type { AttemptStatus } from '@mailhook/core';
import { badge } from '../html/elements.ts';
import type { Markup } from '../html/markup.ts';

export const STATUS_NAMES = { delivered: 'Delivered', failed: 'Failed', dead: 'Given up' } as const;
const STATUS_TONES = { delivered: 'good', failed: 'warn', dead: 'bad' } as const;

export const statusBadge = (status: AttemptStatus): Markup => badge(STATUS_TONES[status], STATUS_NAMES[status]);
