import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { login as english } from '../en/login.ts';

export const login: Translated<typeof english> = {
  title: 'Logowanie i nagłówki',
  sends: ({ names }) =>
    html`Mailhook wysyła ${names}. Wartości są ukryte. Po zmianie hosta lub portu trzeba je wpisać ponownie.`,
  otherHeaders: 'Inne nagłówki',
  otherHeadersHint: 'Po jednym w wierszu, na przykład x-team: mail. Sama nazwa zachowuje zapisaną wartość.',
  save: 'Zapisz logowanie i nagłówki',
  saving: 'Zapisywanie…',
  login: 'Logowanie',
  keep: 'Zachowaj zapisane dane logowania',
  stored: 'zapisane dane logowania',
  none: 'Bez logowania',
  bearer: 'Token (Bearer)',
  basic: 'Użytkownik i hasło',
  user: 'Użytkownik',
  password: 'Token lub hasło',
  lead: 'Dla serwerów, które wymagają logowania lub kierują żądania według nagłówka. Testy też je mają.',
};
