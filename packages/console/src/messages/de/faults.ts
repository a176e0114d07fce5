import { markup } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { faults as english } from '../en/faults.ts';

export const faults: Translated<typeof english> = {
  required: 'ist erforderlich',
  requiredForTest: 'ist für den Test erforderlich',
  again: 'muss noch einmal eingegeben werden',
  now: ({ value }) => markup`ist jetzt „${value}“`,
  emptyNow: 'ist jetzt leer',
  empty: 'ist leer',
  notAbsolute: 'muss eine vollständige URL sein, die mit http:// oder https:// beginnt',
  spaces: 'darf keine Leerzeichen oder Steuerzeichen enthalten',
  notUrl: 'ist keine gültige URL',
  login: 'darf keinen Benutzernamen und kein Passwort enthalten',
  port: ({ port }) => `darf nicht den Port ${port} verwenden`,
  tooLong: ({ max }) => `darf höchstens ${max} Zeichen lang sein`,
  notPublic: 'darf nicht zu einer privaten oder reservierten Adresse führen; verwenden Sie eine öffentliche Adresse',
  notHttps: 'muss mit https:// beginnen; lassen Sie Ihren Server zuerst über TLS antworten',
  notEmail: 'muss eine E-Mail-Adresse sein, etwa ops@example.com',
  notNumber: 'muss eine Zahl sein',
  notWhole: 'muss eine ganze Zahl sein',
  tooSmall: ({ min }) => `muss mindestens ${min} sein`,
  tooLarge: ({ max }) => `darf höchstens ${max} sein`,
};
