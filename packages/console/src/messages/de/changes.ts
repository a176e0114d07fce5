import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { changes as english } from '../en/changes.ts';

export const changes: Translated<typeof english> = {
  title: 'Änderungen',
  lead:
    'Wer was an diesem Konto geändert hat, 90 Tage lang: Menschen, Programme und Betreiber. ' +
    'Geheimes wird nicht gezeigt.',
  by: 'Durch',
  anybody: 'alle',
  customer: 'dieses Konto',
  operator: 'Betreiber',
  someOperator: 'Betreiber',
  about: 'Betrifft',
  everything: 'alles',
  endpoints: 'Endpunkte',
  deliveries: 'Zustellungen',
  access: 'Zugriff und Schlüssel',
  alerts: 'Warnungen',
  none: 'Keine Änderungen',
  noneHint: 'In den letzten 90 Tagen wurde nichts dergleichen geändert.',
  portal: 'Über einen Link von einer anderen Seite',
  mail: 'Über einen Link in einer E-Mail',
  onPages: 'auf diesen Seiten',
  byApi: 'über die API',
  hiddenValue: 'geändert, nicht gezeigt',
  older: 'Ältere Änderungen',
  newest: 'Neueste Änderungen',
  token: ({ name }) => html`Token ${name}`,
  operatorNamed: ({ name }) => `Betreiber ${name}`,
  fields: ({ number }) => `${number} Felder`,
};
