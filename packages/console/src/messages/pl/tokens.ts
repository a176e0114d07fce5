import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { tokens as english } from '../en/tokens.ts';

export const tokens: Translated<typeof english> = {
  title: 'Tokeny dostępu',
  lead: 'Dla programów, które używają API, i do logowania tutaj. Każdy program powinien mieć własny token.',
  none: 'Brak tokenu dostępu',
  noneHint: 'Może go utworzyć administrator platformy.',
  reads: 'Tylko czyta',
  manages: 'Zmienia wszystko',
  noLabel: 'Bez etykiety',
  id: ({ id }) => html`ID <code>${id}</code>`,
  thisOne: 'Tym tokenem się zalogowano',
  created: ({ time }) => html`Utworzono ${time}`,
  used: ({ time }) => html`ostatnio użyto ${time}`,
  unused: 'nigdy nie użyto',
  ends: ({ time }) => html`wygasa ${time}`,
  ended: ({ time }) => html`wygasł ${time}`,
  revokeOne: ({ hidden, label }) => html`Unieważnij${hidden(` token ${label}`)}`,
  revokes: 'Żądania z tym tokenem będą odrzucane w ciągu sekund. Nie można go użyć ponownie.',
  revokesThis: 'Tym tokenem się zalogowano, więc nastąpi też wylogowanie.',
  revoke: 'Unieważnij token',
  revoking: 'Unieważnianie…',
  revoked: 'Unieważniono. Żądania z tym tokenem będą odrzucane w ciągu sekund.',
  newOne: 'Nowy token dostępu',
  label: 'Etykieta',
  labelHint: 'Program, który go używa. Etykieta jest też na liście zmian.',
  access: 'Może',
  mayRead: 'wszystko czytać i niczego nie zmieniać',
  mayManage: 'wszystko czytać i zmieniać oraz wysyłać testy',
  end: 'Wygasa',
  endHint: 'Jeśli token, którym się zalogowano, wygasa wcześniej, nowy wygaśnie razem z nim.',
  never: 'nigdy',
  inDays: ({ days }) => `za ${days} dni`,
  create: 'Utwórz token',
  creating: 'Tworzenie…',
  createdOne: 'Utworzono. Programy wysyłają go jako Authorization: Bearer <token>.',
  copyNow: 'Token trzeba skopiować teraz. Nie zostanie pokazany ponownie.',
  full: ({ max }) =>
    `Konto z ${max} tokenami nie utworzy kolejnych. ` + 'Należy unieważnić ten, który nie jest używany.',
  notHere:
    'Te ustawienia otworzył link z innej strony, a token przetrwałby go. Aby utworzyć token, należy zalogować ' +
    'się tokenem albo poprosić administratora platformy.',
};
