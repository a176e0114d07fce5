import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { charts as english } from '../en/charts.ts';

const plural = pluralIn('pl');

const attempts = (value: number): string =>
  plural(value, (number) => ({
    one: `${number} udana próba`,
    few: `${number} udane próby`,
    many: `${number} udanych prób`,
  }));

export const charts: Translated<typeof english> = {
  '1h': '1 godz.',
  '24h': '24 godz.',
  '7d': '7 dni',
  last1h: 'Ostatnia godzina',
  today: 'Dzisiaj',
  last24h: 'Ostatnie 24 godziny',
  last7d: 'Ostatnie 7 dni',
  fromTo: 'Od … do',
  timeSpan: 'Przedział czasu',
  nothingSent: 'W tym czasie nic nie wysłano.',
  notKept: 'Liczby są przechowywane przez 7 dni.',
  noTimes: 'Podaj czas w postaci 2026-01-31 16:30, najpierw wcześniejszy.',
  total: ({ delivered, waiting }) => [
    plural(delivered, (number) => ({
      one: `${number} zdarzenie dostarczone`,
      few: `${number} zdarzenia dostarczone`,
      many: `${number} zdarzeń dostarczonych`,
    })),
    ', ',
    plural(waiting, (number) => ({
      one: `${number} zdarzenie oczekujące`,
      few: `${number} zdarzenia oczekujące`,
      many: `${number} zdarzeń oczekujących`,
    })),
  ],
  attempts: 'Próby',
  delivered: ({ delivered }) => attempts(delivered),
  failed: ({ failed }) => html`nieudane: ${failed}`,
  replyTime: 'Czas odpowiedzi',
  half: ({ time }) => html`połowa w ciągu ${time}`,
  most: ({ time }) => html`95% w ciągu ${time}`,
  deadline: ({ time }) => html`limit ${time}`,
  timedOut: ({ timeouts, all }) => html`brak odpowiedzi w ${timeouts} z ${all}`,
  soFar: '(dotąd)',
  byMinutes: 'Co 5 minut',
  byHour: 'Według godzin',
  bySixHours: 'Co 6 godzin',
  from: 'Od',
  halfWithin: 'Połowa w ciągu',
  mostWithin: '95% w ciągu',
};
