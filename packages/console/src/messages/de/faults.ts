import type { Translated } from '../catalog.ts';
import type { faults as english } from '../en/faults.ts';

export const faults: Translated<typeof english> = {
  required: 'ist erforderlich',
  requiredForTest: 'ist für den Test erforderlich',
  empty: 'ist leer',
  notAbsolute: 'muss eine vollständige URL sein, die mit http:// oder https:// beginnt',
  spaces: 'darf keine Leerzeichen oder Steuerzeichen enthalten',
  unseen: ({ name, position }) => `darf das unsichtbare Zeichen ${name} nicht enthalten: siehe Position ${position}`,
  half: ({ name, position }) => `darf kein halbes Surrogatpaar enthalten, ${name}: siehe Position ${position}`,
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
