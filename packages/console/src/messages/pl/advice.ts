import type { Translated } from '../catalog.ts';
import type { advice as english } from '../en/advice.ts';

const WANTED = '[{"hash": "...", "status": true}, ...]';

export const advice: Translated<typeof english> = {
  phpMessage: 'W PHP należy ustawić display_errors na Off (komunikaty trafią do dziennika) i usunąć przyczynę.',
  page:
    'Należy sprawdzić, czy adres prowadzi do kodu obsługi webhooka, a nie do strony lub formularza logowania. ' +
    'Odpowiedź może zawierać tylko JSON.',
  otherText: 'Odpowiedź może zawierać tylko JSON: bez wierszy dziennika i danych diagnostycznych.',
  brokenJson: 'Odpowiedź należy zapisywać biblioteką JSON i wysyłać w całości.',
  oneEach: `Należy odpowiedzieć HTTP 200 i tablicą JSON ${WANTED}, po jednym elemencie na zdarzenie.`,
  oneObject: `Obiekt należy umieścić w tablicy: ${WANTED}.`,
  testReply:
    `Należy odpowiedzieć HTTP 200 i tablicą JSON ${WANTED}, po jednym elemencie na zdarzenie. {"status": "ok"} ` +
    'służy tylko do testu połączenia.',
  textItems: `Elementami muszą być obiekty z hashem i statusem true: ${WANTED}.`,
  hash: `Hash każdego zdarzenia należy odesłać bez zmian, jako tekst: ${WANTED}.`,
  statusFalse: 'Należy odpowiadać true dla każdego otrzymanego zdarzenia, także niewykorzystywanego.',
  statusMissing: 'Każdy element musi mieć "status": true.',
  statusText: 'Wartość true należy zapisać bez cudzysłowu: potwierdza tylko wartość logiczna.',
  otherHash:
    'Hash każdego zdarzenia należy odesłać dokładnie w otrzymanej postaci: bez skracania, zmiany wielkości ' +
    'liter i ponownego obliczania.',
  confirmAll: 'Należy potwierdzać każde zapisane zdarzenie, także niewykorzystywane i już wcześniej otrzymane.',
  webPage:
    'Należy podać adres kodu obsługi webhooka i przepuszczać żądania Mailhook przez ochronę przed botami i ' +
    'logowanie. Mailhook nie może wiedzieć, że zdarzenia przepadają.',
  redirect: 'Należy podać adres, na który przekierowuje serwer.',
  otherRedirect: 'Serwer odpowiedział jak na żądanie strony. Na żądania POST powinien odpowiadać 200.',
  refused: 'Serwer odrzucił żądanie. Przyczyna jest w jego dzienniku.',
  serverError: 'Wystąpił błąd serwera. Przyczyna jest w jego dzienniku błędów.',
  logIn:
    'Serwer, brama API lub zapora wymaga logowania. Dane należy wpisać w zapisanym endpoincie w sekcji ' +
    '„Logowanie i nagłówki” albo przepuszczać żądania POST do tej ścieżki bez logowania. Jeśli serwer ' +
    'sprawdza podpisy, należy utworzyć klucz podpisu.',
  logInSigned:
    'Serwer odrzuca żądanie. Jeśli sprawdza podpisy: należy porównać jego klucz podpisu z własnym kluczem ' +
    'endpointu, a jeśli go nie ma, z kluczem konta, sprawdzać treść w otrzymanej postaci (zanim przetworzy ją ' +
    'framework) i ustawić zegar. W przeciwnym razie dane logowania należy wpisać w sekcji „Logowanie i ' +
    'nagłówki” albo przepuszczać żądania POST do tej ścieżki bez logowania.',
  notFound: 'Pod tym adresem nie ma aplikacji. Należy porównać jego ścieżkę z trasą na serwerze.',
  noPost: 'Serwer nie przyjmuje tu żądań POST, a Mailhook wysyła POST.',
  tooLarge: 'Żądanie jest za duże dla serwera. Powinien przyjmować treści o rozmiarze co najmniej 1 MB.',
  tooMany: 'Serwer ogranicza liczbę wywołań. Mailhook próbuje ponownie; jeśli to częste, limit jest za niski.',
  notSent: 'To nie świadczy o stanie serwera. Proszę spróbować ponownie za minutę.',
  longReply: 'Odpowiedź jest za długa. Należy odsyłać tylko oczekiwany JSON.',
  compression: 'Odpowiedź należy wysyłać bez kompresji albo jako gzip ze zgodnym nagłówkiem Content-Encoding.',
  notHttp:
    'Serwer pod tym adresem nie odpowiada poprawnie w HTTP. Należy sprawdzić port i to, czy używa http, czy https.',
  invalidFormat:
    'Serwer odpowiedział, ale inaczej, niż trzeba. Oczekiwana odpowiedź to HTTP 200 i JSON {"status": "ok"}.',
  timeout: ({ deadline }) => [
    'Odpowiedź musi nadejść w ciągu ',
    deadline,
    '. Najlepiej zapisać żądanie, odpowiedzieć i dopiero potem je przetworzyć.',
  ],
  noConnection:
    'Pod tym adresem nic nie przyjmuje połączenia. Należy sprawdzić adres i port oraz to, czy zapora przepuszcza ' +
    'żądania z internetu.',
  proxy:
    'Mailhook wysyła przez serwer proxy, który nic nie znalazł pod tym adresem. Należy sprawdzić adres i port ' +
    'oraz to, czy zapora przepuszcza żądania z adresów Mailhook.',
  connectionRefused: 'Nic tam nie nasłuchuje. Należy uruchomić aplikację oraz sprawdzić port i zaporę.',
  connectionEnded: 'Serwer lub proxy przed nim zakończył połączenie. Przyczyna jest w jego dzienniku.',
  noRoute: 'Sieć tego adresu jest nieosiągalna. Należy sprawdzić adres i zaporę.',
  unknownName:
    'Należy sprawdzić pisownię nazwy hosta oraz to, czy prowadzi do adresu publicznego. Nowa nazwa może być ' +
    'znana dopiero po kilku minutach.',
  nameServer: 'Serwer nazw tego hosta nie odpowiada poprawnie. Należy sprawdzić DNS domeny.',
  certificateExpired: 'Należy odnowić certyfikat serwera.',
  selfSigned: 'Należy użyć certyfikatu publicznego urzędu, na przykład Let’s Encrypt.',
  chainIncomplete: 'Serwer powinien wysyłać także certyfikaty pośrednie („pełny łańcuch”).',
  otherName: 'Należy użyć certyfikatu dla tego hosta albo podać host, który wymienia certyfikat.',
  handshake:
    'Serwer przyjął połączenie, ale nie zakończył uzgadniania TLS. Należy sprawdzić, czy ten port obsługuje ' +
    'https i czy serwer nie jest przeciążony.',
  noTls: 'Należy podać port, który obsługuje https. Jeśli serwer go nie ma, adres zaczyna się od http://.',
  clientCertificate: 'Należy przyjmować żądania bez certyfikatu klienta. Mogą mieć dane logowania lub podpis.',
  otherCertificate: 'Należy użyć certyfikatu publicznego urzędu, dla serwerów i z aktualnym algorytmem.',
  tls: 'Należy sprawdzić, czy ten port obsługuje https, z TLS 1.2 lub nowszym.',
  blocked: 'Mailhook dostarcza tylko pod adresy publiczne. Należy użyć adresu osiągalnego z internetu.',
  otherwise: 'Należy sprawdzić, czy adres jest poprawny i serwer działa, a potem spróbować ponownie.',
  ended:
    'Taka odpowiedź oznacza, że adres trwale nie chce więcej żądań. Należy podać nowy adres albo ponownie ' +
    'włączyć endpoint.',
};
