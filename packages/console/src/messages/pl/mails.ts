import type { Translated } from '../catalog.ts';
import type { mails as english } from '../en/mails.ts';

export const mails: Translated<typeof english> = {
  failingSubject: ({ name }) => `Webhook nie działa: ${name}`,
  failing:
    'Żądania do webhooka wciąż się nie udają. Mailhook przechowuje zdarzenia i próbuje ponownie, ale zaniecha ' +
    'dostarczania zbyt starych zdarzeń.',
  recoveredSubject: ({ name }) => `Webhook znowu działa: ${name}`,
  recovered: 'Webhook znowu przyjmuje żądania. Mailhook wysyła oczekujące zdarzenia. Nic nie trzeba robić.',
  deactivatedSubject: ({ name }) => `Webhook został wyłączony: ${name}`,
  deactivated:
    'Odpowiedź serwera trwale kończy dostarczanie, więc Mailhook wyłączył webhook. Nowe zdarzenia nie są ' +
    'przechowywane. Należy poprawić adres albo ponownie włączyć webhook.',
  limitSubject: ({ brand }) => `Na dziś koniec alertów: ${brand}`,
  limit: ({ max, until }) =>
    `Ten adres dostał w ciągu doby alerty w liczbie: ${max}. Kolejne nie są wysyłane do: ${until}. Ustawienia ` +
    'webhooków pokazują, które webhooki nie działają albo są wyłączone.',
  account: 'Konto',
  webhook: 'Webhook',
  events: 'Zdarzenia',
  address: 'Adres',
  since: 'Od',
  reason: 'Powód',
  advice: 'Co zrobić',
  waiting: 'Oczekujące zdarzenia',
  open: 'Otwórz ustawienia webhooków',
  why: ({ account }) =>
    `Ta wiadomość przyszła, ponieważ dla tego adresu potwierdzono alerty o webhookach konta ${account}.`,
  unsubscribe: 'Zrezygnuj z alertów',
  confirmSubject: ({ brand }) => `Potwierdzenie alertów e-mail: ${brand}`,
  confirm: ({ account }) =>
    `Osoba, która zarządza webhookami konta ${account}, chce wysyłać alerty na ten adres. ` +
    'Alert przychodzi, gdy webhook nie działa, znowu działa albo został wyłączony.',
  confirmButton: 'Potwierdź lub odmów',
  neverAgain: 'Nigdy więcej nie pytaj tego adresu',
  confirmIgnore: 'Jeśli to konto jest nieznane, wiadomość można zignorować. Bez potwierdzenia alerty nie są wysyłane.',
  sampleSubject: ({ brand }) => `Test alertów: ${brand}`,
  sample: ({ account }) =>
    `To jest test. Tutaj przychodzą alerty o webhookach konta ${account}: ` +
    'gdy webhook nie działa, znowu działa albo został wyłączony.',
};
