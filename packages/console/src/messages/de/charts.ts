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
  fromTo: 'Von … bis',
  timeSpan: 'Zeitraum',
  nothingSent: 'In dieser Zeit wurde nichts gesendet.',
  notKept: 'Zahlen werden 7 Tage aufbewahrt.',
  noTimes: 'Schreiben Sie Zeiten wie 2026-01-31 16:30, die frühere zuerst.',
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
  replyTime: 'Antwortzeit',
  half: ({ time }) => html`Hälfte in ${time}`,
  most: ({ time }) => html`95 % in ${time}`,
  deadline: ({ time }) => html`Frist ${time}`,
  timedOut: ({ timeouts, all }) => html`keine Antwort bei ${timeouts} von ${all}`,
  soFar: '(bisher)',
  byMinutes: 'In Schritten von 5 Minuten',
  byHour: 'Nach Stunden',
  bySixHours: 'In Schritten von 6 Stunden',
  from: 'Ab',
  halfWithin: 'Hälfte in',
  mostWithin: '95 % in',
};
