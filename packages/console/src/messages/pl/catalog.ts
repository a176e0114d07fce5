import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { catalog as english } from '../en/catalog.ts';

export const catalog: Translated<typeof english> = {
  title: 'Katalog zdarzeń',
  lead: 'Każdy typ zdarzenia: co znaczy, co zawiera i które endpointy go otrzymują.',
  ofMessages: 'wiadomości transakcyjne',
  ofCampaigns: 'kampanie',
  comesFrom: 'Pochodzi z',
  ownFields: 'Własne pola w wersji 2',
  noFields: 'Brak',
  required: 'wymagane',
  requiredInMessages: 'wymagane przy wiadomościach transakcyjnych',
  getIt: 'Endpointy',
  nobody: 'Żaden endpoint go nie otrzymuje.',
  off: 'wyłączony',
  filtered: 'z filtrem',
  bodies: 'Treści do skopiowania',
  whichBody: 'Wersja i moduł',
  bodyOf: ({ version, module }) => html`Wersja ${version}, ${module}`,
  example: ({ type, body }) => html`Przykład zdarzenia ${type}: ${body}`,
  copy: ({ hidden, type }) => html`Kopiuj${hidden(` przykład zdarzenia ${type}`)}`,
};
