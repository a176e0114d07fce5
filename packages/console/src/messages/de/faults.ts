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
  headerName: 'ist kein Name eines Headers: erlaubt sind Buchstaben, Ziffern und -, höchstens 100 Zeichen',
  headerReserved: 'wird von Mailhook oder von HTTP selbst gesetzt und lässt sich nicht ändern',
  headerValue: 'muss 1 bis 4096 ASCII-Zeichen haben, ohne Zeilenumbrüche und ohne Leerzeichen an den Enden',
  headerWithoutValue: 'hat keinen Wert nach dem Doppelpunkt; um den gespeicherten Wert zu behalten, genügt der Name',
  headerNotStored: 'hat keinen gespeicherten Wert: Geben Sie den Wert ein',
  headersTooMany: ({ max }) => `darf höchstens ${max} Header haben`,
  headersTooLong: ({ max }) => `darf insgesamt höchstens ${max} Zeichen haben`,
  headersLogin: 'darf authorization nicht wiederholen: Das ist die Anmeldung darüber',
};
