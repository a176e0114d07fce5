import type { AttemptStatus } from '@mailhook/core';
import { badge } from '../../html/elements.ts';
import type { Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';

const STATUS_TONES = { delivered: 'good', failed: 'warn', dead: 'bad' } as const;

export const statusBadge = (status: AttemptStatus): Markup => badge(STATUS_TONES[status], texts.deliveries[status]);
