import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { catalog as english } from '../en/catalog.ts';

export const catalog: Translated<typeof english> = {
  title: 'Ereigniskatalog',
  lead: 'Jede Art von Ereignis: was sie bedeutet, was sie enthält und welche Ihrer Endpunkte sie bekommen.',
  ofMessages: 'Transaktionsnachrichten',
  ofCampaigns: 'Kampagnen',
  comesFrom: 'Kommt von',
  ownFields: 'Eigene Felder in Version 2',
  noFields: 'Keine',
  required: 'erforderlich',
  requiredInMessages: 'erforderlich bei Transaktionsnachrichten',
  getIt: 'Ihre Endpunkte',
  nobody: 'Kein Endpunkt bekommt es.',
  off: 'aus',
  filtered: 'mit Filter',
  bodies: 'Inhalte zum Kopieren',
  whichBody: 'Version und Modul',
  bodyOf: ({ version, module }) => html`Version ${version}, ${module}`,
  example: ({ type, body }) => html`Beispiel für ${type}: ${body}`,
  copy: ({ hidden, type }) => html`Kopieren${hidden(`: Beispiel für ${type}`)}`,
};
