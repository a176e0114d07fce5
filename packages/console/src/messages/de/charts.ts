import { html } from '../../html/markup.ts';
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
  today: 'Heute',
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
  failed: ({ failed }) => html`${failed} fehlgeschlagen`,
  bar: ({ time, delivered, failed }) => html`Ab ${time}: ${attempts(delivered)}, ${failed} fehlgeschlagen.`,
  replies: ({ p50, p95 }) => html`Die Hälfte der Antworten kam innerhalb von ${p50}, 95 % innerhalb von ${p95}.`,
  replyTime: 'Antwortzeit',
  half: ({ time }) => html`Hälfte in ${time}`,
  most: ({ time }) => html`95 % in ${time}`,
  deadline: ({ time }) => html`Frist ${time}`,
};
