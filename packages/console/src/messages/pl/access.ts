import { html } from '../../html/markup.ts';
import type { Translated } from '../catalog.ts';
import type { access as english } from '../en/access.ts';

export const access: Translated<typeof english> = {
  signIn: 'Zaloguj',
  webhookSettings: 'Ustawienia webhooków',
  lead: ({ platform }) =>
    `Tutaj ustala się, dokąd ${platform} wysyła otwarcia, kliknięcia, odbicia i inne zdarzenia e-maili, i widać ` +
    'każde dostarczenie.',
  showToken: 'Pokaż token',
  accessToken: 'Token dostępu',
  tokenHint: ({ platform }) => `Token API konta. Zaczyna się od mhk_. Wydaje go administrator platformy ${platform}.`,
  signedOut: 'Sesja została zakończona. Proszę wrócić na poprzednią stronę i ponownie otworzyć te ustawienia.',
  ended:
    'Sesja wygasła: nie była używana przez godzinę, minął jej czas albo dostęp został cofnięty. Proszę ' +
    'zalogować się ponownie lub otworzyć te ustawienia tam, gdzie poprzednio.',
  pageAway: 'Ta strona chwilowo nie działa.',
  signInAway: 'Logowanie chwilowo nie działa. Proszę spróbować ponownie za minutę.',
  producerToken:
    'to token nadawcy, który służy tylko do wysyłania zdarzeń. Do logowania potrzebny jest token dostępu, ' +
    'który zaczyna się od mhk_.',
  unknownToken:
    'jest nieznany. Należy sprawdzić, czy został skopiowany w całości i czy nie został cofnięty, ' +
    'albo poprosić o nowy.',

  openSettings: 'Otwórz ustawienia webhooków',
  opens: ({ account }) =>
    html`Ten link otwiera ustawienia webhooków konta ${account}. Kontynuować należy tylko wtedy, gdy właśnie były
    otwierane.`,
  continue: 'Dalej',
  whoIsIt: 'Proszę potwierdzić tożsamość',
  whoIsItText:
    'Od zalogowania minęło ponad 15 minut. Skutki tej czynności trwają dłużej niż sesja, dlatego potrzebny ' +
    'jest jeszcze raz token dostępu.',
  notThisToken: 'należy do innego konta albo służy tylko do odczytu',
  checkAway: 'nie może być teraz sprawdzony: proszę spróbować ponownie za minutę',
  openAgain:
    'Te ustawienia zostały otwarte ponad 15 minut temu. Proszę ponownie otworzyć tę stronę na swojej platformie ' +
    'i powtórzyć tę czynność.',
  openingAway: 'Mailhook nie może teraz otworzyć ustawień. Proszę spróbować ponownie za minutę.',
  incompleteLink:
    'Ten link jest niekompletny. Proszę skopiować cały link albo otworzyć go ponownie w miejscu, ' +
    'z którego pochodzi.',
  usedLink:
    'Ten link już nie działa. Link otwiera te ustawienia jeden raz i tylko przez ograniczony czas. Proszę się ' +
    'zalogować albo otworzyć je ponownie tam, skąd pochodzi link.',
  linkNeedsScript:
    'Ten link wymaga skryptu, którego ta przeglądarka nie uruchamia. W adresie tej strony należy zamienić znak # ' +
    'na ? i otworzyć ją ponownie.',
  otherAccount:
    'W tej przeglądarce otwarta jest sesja innego konta. Ten link ją zakończy. Kontynuować należy tylko wtedy, ' +
    'gdy właśnie otwierane były ustawienia innego konta.',
  changeAccount: 'Przejdź na inne konto',
  stay: 'Zostań',
};
