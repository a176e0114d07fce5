import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { faults as english } from '../en/faults.ts';

/** The labels of the fields are masculine, or a choice of them is. */
export const faults: Translated<typeof english> = {
  required: 'jest wymagany',
  requiredForTest: 'jest wymagany do testu',
  again: '– trzeba wpisać ponownie',
  now: ({ value }) => html`– teraz zapisano: „${value}”`,
  emptyNow: '– teraz zapisano puste pole',
  empty: 'jest pusty',
  notAbsolute: 'musi być pełnym adresem URL, który zaczyna się od http:// lub https://',
  spaces: 'nie może zawierać spacji ani znaków sterujących',
  unseen: ({ name, position }) => `nie może zawierać niewidocznego znaku ${name}: pozycja ${position}`,
  half: ({ name, position }) => `nie może zawierać połowy pary surogatów, ${name}: pozycja ${position}`,
  notUrl: 'nie jest poprawnym adresem URL',
  login: 'nie może zawierać nazwy użytkownika ani hasła',
  port: ({ port }) => `nie może używać portu ${port}`,
  tooLong: ({ max }) => `może mieć najwyżej ${max} znaków`,
  notPublic: 'nie może prowadzić do adresu prywatnego ani zarezerwowanego; potrzebny jest adres publiczny',
  notHttps: 'musi zaczynać się od https://; serwer musi najpierw odpowiadać przez TLS',
  notEmail: 'musi być adresem e-mail, np. ops@example.com',
  notNumber: 'wymaga liczby',
  notWhole: 'wymaga liczby całkowitej',
  tooSmall: ({ min }) => `wymaga wartości co najmniej ${min}`,
  tooLarge: ({ max }) => `wymaga wartości najwyżej ${max}`,
  headerName: 'nie jest nazwą nagłówka: dozwolone są litery, cyfry i -, najwyżej 100 znaków',
  headerReserved: 'jest ustawiany przez Mailhook lub samo HTTP i nie można go zmienić',
  headerValue: 'wymaga od 1 do 4096 znaków ASCII, bez podziałów wiersza i bez spacji na końcach',
  headerWithoutValue: 'nie ma wartości po dwukropku; żeby zachować zapisaną wartość, wystarczy sama nazwa',
  headerNotStored: 'nie ma zapisanej wartości: trzeba ją wpisać',
  headersTooMany: ({ max }) => `może mieć najwyżej ${max} nagłówków`,
  headersTooLong: ({ max }) => `może mieć łącznie najwyżej ${max} znaków`,
  headersLogin: 'nie może powtarzać authorization, czyli danych logowania powyżej',
};
