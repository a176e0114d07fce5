import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { deadLetters as english } from '../en/dead-letters.ts';

const plural = pluralIn('pl');

export const deadLetters: Translated<typeof english> = {
  lead:
    'Paczki zdarzeń, których dostarczania Mailhook zaniechał. Są przechowywane przez 7 dni. Należy usunąć ' +
    'przyczynę, a potem dostarczyć je ponownie.',
  csv: 'Pobierz jako CSV',
  deliverAll: 'Dostarcz wszystkie ponownie',
  counting: 'Liczenie…',
  cause: 'Przyczyna',
  allCauses: 'Wszystkie przyczyny',
  chosenCause: 'Wybrana przyczyna',
  since: ({ zone }) => html`Zaniechane od (${zone})`,

  groups: 'Niedostarczone paczki według przyczyny i endpointu',
  counted: ({ letters, events }) => {
    const all = plural(letters, (number) => ({
      one: `${number} niedostarczona paczka`,
      few: `${number} niedostarczone paczki`,
      many: `${number} niedostarczonych paczek`,
    }));
    return plural(events, (number) => ({
      one: html`${all}, w niej ${number} zdarzenie`,
      few: html`${all}, razem ${number} zdarzenia`,
      many: html`${all}, razem ${number} zdarzeń`,
    }));
  },
  select: 'Wybór',
  oldest: 'Najstarsza',
  selectGroup: ({ cause, endpoint }) => html`Wybierz: ${cause} ${endpoint}`,
  groupOf: ({ hidden, cause, endpoint }) => html`${cause}${hidden(html` Niedostarczone paczki: ${endpoint}`)}`,
  onlyNewest:
    'Policzono tu tylko 5000 najnowszych niedostarczonych paczek. Działania na grupie obejmują także starsze.',
  ofDeleted: 'Usunięty endpoint',
  lessThanAnHour: 'została mniej niż 1 godzina',
  hoursLeft: ({ hours }) =>
    plural(hours, (number) => ({
      one: `została ${number} godzina`,
      few: `zostały ${number} godziny`,
      many: `zostało ${number} godzin`,
    })),
  daysLeft: ({ days }) =>
    plural(days, (number) => ({
      one: `został ${number} dzień`,
      few: `zostały ${number} dni`,
      many: `zostało ${number} dni`,
    })),
  deliverSelected: 'Dostarcz wybrane ponownie',
  discardSelected: 'Usuń wybrane',

  redrivenSince: ({ time }) => html`Ponowne dostarczanie od ${time}:`,
  redriven: (all) =>
    plural(all.total, (number) => ({
      one: html`dostarczono ${all.delivered} z ${number} zdarzenia, ponownie nieudane: ${all.failed}, w drodze:
      ${all.waiting}.`,
      few: html`dostarczono ${all.delivered} z ${number} zdarzeń, ponownie nieudane: ${all.failed}, w drodze:
      ${all.waiting}.`,
      many: html`dostarczono ${all.delivered} z ${number} zdarzeń, ponownie nieudane: ${all.failed}, w drodze:
      ${all.waiting}.`,
    })),
  neverSent: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} zdarzenie, którego nigdy nie wysłano, czeka na pierwszą próbę albo już ją miało.`,
      few: `${number} zdarzenia, których nigdy nie wysłano, czekają na pierwszą próbę albo już ją miały.`,
      many: `${number} zdarzeń, których nigdy nie wysłano, czeka na pierwszą próbę albo już ją miało.`,
    })),
  notStarted: ({ events }) =>
    plural(events, (number) => ({
      one: `Wysyłka ${number} zdarzenia jeszcze się nie zaczęła.`,
      few: `Wysyłka ${number} zdarzeń jeszcze się nie zaczęła.`,
      many: `Wysyłka ${number} zdarzeń jeszcze się nie zaczęła.`,
    })),
  wasStopped: ({ events }) =>
    plural(events, (number) => ({
      one: `Zatrzymano: ${number} zdarzenie pozostaje wśród niedostarczonych.`,
      few: `Zatrzymano: ${number} zdarzenia pozostają wśród niedostarczonych.`,
      many: `Zatrzymano: ${number} zdarzeń pozostaje wśród niedostarczonych.`,
    })),
  interrupted: ({ events }) =>
    plural(events, (number) => ({
      one:
        `Działanie Mailhook zostało przerwane przed wysyłką ${number} zdarzenia. Jest ono nadal wśród ` +
        'niedostarczonych: należy dostarczyć je ponownie.',
      few:
        `Działanie Mailhook zostało przerwane przed wysyłką ${number} zdarzeń. Są one nadal wśród ` +
        'niedostarczonych: należy dostarczyć je ponownie.',
      many:
        `Działanie Mailhook zostało przerwane przed wysyłką ${number} zdarzeń. Są one nadal wśród ` +
        'niedostarczonych: należy dostarczyć je ponownie.',
    })),
  share: 'Dostarczono ponownie',
  stop: 'Zatrzymaj',
  stopping: 'Zatrzymywanie…',

  oneByOne: 'Pojedynczo',
  andOlder: '„Dostarcz wszystkie ponownie” i plik CSV obejmują także starsze.',
  othersOrAll: ({ all }) => html`Można wybrać inne filtry albo ${all('zobaczyć wszystkie niedostarczone paczki')}.`,
  none: 'Brak niedostarczonych paczek',
  noneHint: 'Paczka, której dostarczania Mailhook zaniecha, pozostaje tu ze swoimi zdarzeniami przez 7 dni.',
  andMore: ({ more }) => html`i jeszcze ${more}`,
  campaignEvents: ({ events, strong, endpoint }) =>
    plural(events, (number) => ({
      one: html`${strong(`${number} zdarzenie kampanii`)} na adres ${endpoint}`,
      few: html`${strong(`${number} zdarzenia kampanii`)} na adres ${endpoint}`,
      many: html`${strong(`${number} zdarzeń kampanii`)} na adres ${endpoint}`,
    })),
  notifications: ({ events, strong, endpoint }) =>
    plural(events, (number) => ({
      one: html`${strong(`${number} powiadomienie`)} na adres ${endpoint}`,
      few: html`${strong(`${number} powiadomienia`)} na adres ${endpoint}`,
      many: html`${strong(`${number} powiadomień`)} na adres ${endpoint}`,
    })),
  givenUpAfter: ({ time, attempts }) =>
    plural(attempts, (number) => ({
      one: html`Zaniechano ${time} po ${number} próbie.`,
      few: html`Zaniechano ${time} po ${number} próbach.`,
      many: html`Zaniechano ${time} po ${number} próbach.`,
    })),
  untried: ({ time }) => html`Zaniechano ${time} bez żadnej próby.`,
  untriedOff: ({ time }) => html`Zaniechano ${time} bez żadnej próby, bo endpoint został wyłączony.`,
  open: ({ hidden, time }) => html`Zdarzenia i próby${hidden(html`, zaniechano ${time}`)}`,
  deliverOne: ({ hidden, time, address }) =>
    html`Dostarcz ponownie${hidden(html` (zaniechano ${time}, na adres ${address})`)}`,

  one: 'Niedostarczona paczka',
  unknown: 'Nie ma takiej pozycji: została dostarczona ponownie albo zaniechano jej ponad 7 dni temu.',
  attempts: 'Próby',
  noAttempts: 'W dzienniku nie ma żadnej albo nigdy nie było wysyłki.',
  events: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} zdarzenie`,
      few: `${number} zdarzenia`,
      many: `${number} zdarzeń`,
    })),
  firstOnes: ({ shown }) => html`Tu widać tylko początek (${shown}). Wszystkie są w pliku CSV.`,

  noAddress: 'endpoint, który nie ma teraz adresu',
  nothingLeft: 'Nie ma już czego wybrać: te zdarzenia dostarczono ponownie, usunięto albo minął ich czas.',
  notAllCounted: 'Policzono tylko 5000 najnowszych niedostarczonych paczek. Działanie obejmuje także starsze.',
  nothingSelected: 'Nic nie zrobiono. Najpierw należy wybrać co najmniej jeden wiersz.',
  askRedrive: 'Dostarczyć te zdarzenia ponownie?',
  redriveDoes: ({ events, letters, endpoint }) => {
    const among = plural(letters, (number) => ({
      one: `z ${number} paczki`,
      few: `z ${number} paczek`,
      many: `z ${number} paczek`,
    }));
    return plural(events, (number) => ({
      one: html`${number} zdarzenie ${among} zostanie wysłane ponownie: ${endpoint}.`,
      few: html`${number} zdarzenia ${among} zostaną wysłane ponownie: ${endpoint}.`,
      many: html`${number} zdarzeń ${among} zostanie wysłanych ponownie: ${endpoint}.`,
    }));
  },
  newAttempts: 'Każde żądanie to nowa próba. Zdarzenia znów niedostarczone wrócą na tę listę.',
  deliverAgain: 'Dostarcz ponownie',
  sending: 'Wysyłanie…',
  askDiscard: 'Usunąć te zdarzenia?',
  discardDoes: ({ events, endpoint }) =>
    plural(events, (number) => ({
      one: html`${number} zdarzenie zostanie trwale usunięte: ${endpoint}.`,
      few: html`${number} zdarzenia zostaną trwale usunięte: ${endpoint}.`,
      many: html`${number} zdarzeń zostanie trwale usuniętych: ${endpoint}.`,
    })),
  permanently: 'Nie da się ich przywrócić. Jeśli są potrzebne, najpierw należy pobrać je jako CSV.',
  discard: 'Usuń',
  deleting: 'Usuwanie…',
  goesOn: 'Mailhook dostarcza je teraz ponownie. Strona pokazuje postęp.',
  nothingToRedrive: 'Nie było już nic do ponownego dostarczenia.',
  stayed: ({ letters }) =>
    plural(letters, (number) => ({
      one:
        `${number} niedostarczona paczka pozostaje, bo jej endpoint jest wyłączony lub usunięty. Najpierw należy ` +
        'go włączyć.',
      few:
        `${number} niedostarczone paczki pozostają, bo ich endpoint jest wyłączony lub usunięty. Najpierw ` +
        'należy go włączyć.',
      many:
        `${number} niedostarczonych paczek pozostaje, bo ich endpoint jest wyłączony lub usunięty. Najpierw ` +
        'należy go włączyć.',
    })),
  onTheWay: ({ letters }) =>
    plural(letters, (number) => ({
      one: 'Jedna niedostarczona paczka jest znów w drodze.',
      few: `${number} niedostarczone paczki są znów w drodze.`,
      many: `${number} niedostarczonych paczek jest znów w drodze.`,
    })),
  discarded: ({ events }) =>
    plural(events, (number) => ({
      one: `Trwale usunięto ${number} zdarzenie.`,
      few: `Trwale usunięto ${number} zdarzenia.`,
      many: `Trwale usunięto ${number} zdarzeń.`,
    })),
  nothingToStop: 'Nie było już czego zatrzymać: wysyłka wszystkich już się zaczęła.',
  stopped: ({ events }) =>
    plural(events, (number) => ({
      one: `Zatrzymano. ${number} zdarzenie pozostaje wśród niedostarczonych. Rozpoczęte wysyłki trwają dalej.`,
      few: `Zatrzymano. ${number} zdarzenia pozostają wśród niedostarczonych. Rozpoczęte wysyłki trwają dalej.`,
      many: `Zatrzymano. ${number} zdarzeń pozostaje wśród niedostarczonych. Rozpoczęte wysyłki trwają dalej.`,
    })),
};
