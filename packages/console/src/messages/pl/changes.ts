import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { changes as english } from '../en/changes.ts';

export const changes: Translated<typeof english> = {
  title: 'Zmiany',
  lead: 'Kto co zmienił na tym koncie, przez 90 dni: ludzie, programy i operatorzy. Bez tajnych wartości.',
  by: 'Kto',
  anybody: 'wszyscy',
  customer: 'to konto',
  operator: 'operator',
  someOperator: 'Operator',
  about: 'Co',
  everything: 'wszystko',
  endpoints: 'endpointy',
  deliveries: 'dostarczanie',
  access: 'dostęp i klucze',
  alerts: 'alerty',
  none: 'Brak zmian',
  noneHint: 'W ciągu ostatnich 90 dni nic takiego nie zmieniono.',
  portal: 'Przez link z innej strony',
  mail: 'Przez link w e-mailu',
  onPages: 'na tych stronach',
  byApi: 'przez API',
  hiddenValue: 'zmieniono, wartość ukryta',
  older: 'Starsze zmiany',
  newest: 'Najnowsze zmiany',
  token: ({ name }) => html`Token ${name}`,
  operatorNamed: ({ name }) => `Operator ${name}`,
  fields: ({ number }) => `pola: ${number}`,
};
