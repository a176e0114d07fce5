import { markup } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { charts as english } from '../en/charts.ts';

const plural = pluralIn('de');

const attempts = (value: number): string =>
  plural(value, (number) => ({ one: `${number} erfolgreicher Versuch`, other: `${number} erfolgreiche Versuche` }));

export const charts: Translated<typeof english> = {
  '1h': '1 Std.',
  '24h': '24 Std.',
  '7d': '7 Tage',
  last1h: 'Letzte Stunde',
  last24h: 'Letzte 24 Stunden',
  last7d: 'Letzte 7 Tage',
  timeSpan: 'Zeitraum',
  nothingSent: 'In dieser Zeit wurde nichts gesendet.',
  total: ({ delivered, waiting }) => [
    plural(delivered, (number) => ({ one: `${number} Ereignis zugestellt`, other: `${number} Ereignisse zugestellt` })),
    ', ',
    plural(waiting, (number) => ({
      one: `${number} Ereignis wartet jetzt`,
      other: `${number} Ereignisse warten jetzt`,
    })),
  ],
  attempts: 'Versuche',
  delivered: ({ delivered }) => attempts(delivered),
  failed: ({ failed }) => markup`${failed} fehlgeschlagen`,
  bar: ({ time, delivered, failed }) => markup`Ab ${time}: ${attempts(delivered)}, ${failed} fehlgeschlagen.`,
  replies: ({ p50, p95 }) => markup`Die Hälfte der Antworten kam innerhalb von ${p50}, 95 % innerhalb von ${p95}.`,
  replyTime: 'Antwortzeit',
  half: ({ time }) => markup`Hälfte in ${time}`,
  most: ({ time }) => markup`95 % in ${time}`,
  deadline: ({ time }) => markup`Frist ${time}`,
};
