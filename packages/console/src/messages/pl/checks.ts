import type { CHECK_TEXTS as english } from '@mailhook/core';
import type { Translated } from '../catalog.ts';

export const checks: Translated<typeof english> = {
  'reachable.title': 'Serwer jest osiągalny i odpowiada',
  'reachable.why': 'Bez odpowiedzi nic nie jest dostarczane.',
  'tls.title': 'Połączenie jest szyfrowane',
  'tls.why': 'Zdarzenia zawierają adresy odbiorców. W zwykłym HTTP każdy po drodze może je czytać i zmienić.',
  'no-redirect.title': 'Serwer odpowiada sam, bez przekierowania',
  'no-redirect.why': 'Mailhook nie podąża za przekierowaniami: odpowiedź 3xx to nieudane dostarczenie.',
  'access.title': 'Serwer przepuszcza żądania',
  'access.why':
    'Żądania nie mają danych logowania. Gdy endpoint lub konto ma klucz podpisu, są podpisywane, a serwer musi ' +
    'sprawdzać ten sam podpis.',
  'web-page.title': 'Odpowiada aplikacja, a nie strona WWW',
  'web-page.why':
    'Każda odpowiedź 2xx oznacza dostarczenie powiadomienia. Jeśli odpowiada ochrona przed botami, formularz ' +
    'logowania lub strona parkingowa domeny, aplikacja nic nie otrzymuje.',
  'connection-test.title': 'Serwer przechodzi test połączenia',
  'connection-test.why':
    'Strona ustawień wysyła {"test": "..."} i pokazuje błąd, jeśli odpowiedzią nie jest {"status": "ok"}.',
  'status.title': 'Serwer odpowiada na paczkę HTTP 200',
  'status.why':
    'Paczkę przyjmuje dokładnie odpowiedź 200. Każdy inny status, także 202 i 204, oznacza: wyślij ponownie.',
  'acknowledgement.title': 'Serwer potwierdza paczkę z jednym zdarzeniem, w poprawnej postaci',
  'acknowledgement.why':
    'Zdarzenia potwierdza się pojedynczo: elementem z ich hashem i wartością logiczną true. Niepotwierdzone ' +
    'zdarzenia Mailhook wysyła ponownie.',
  'content-type.title': 'Serwer podaje, że odpowiedź to JSON',
  'content-type.why':
    'Mailhook czyta treść bez względu na nagłówek; serwery proxy i inne narzędzia kierują się nagłówkiem.',
  'thousand-events.title': 'Serwer potwierdza paczkę z 1000 zdarzeń',
  'thousand-events.why': 'Przy dużym ruchu i po przerwie paczki mają do 1000 zdarzeń, około 200 kB JSON-u.',
  'duplicates.title': 'Serwer potwierdza paczkę z powtórzonym hashem',
  'duplicates.why':
    'Dwa otwarcia w tej samej sekundzie to dwa razy to samo zdarzenie, z jednym hashem. Jeden element potwierdza oba.',
  'repeat.title': 'Serwer ponownie potwierdza tę samą paczkę',
  'repeat.why':
    'Po utraconej odpowiedzi lub błędzie Mailhook wysyła te same zdarzenia ponownie, z wyższym numerem próby, ' +
    'aż zostaną potwierdzone lub próby się wyczerpią.',
  'open.title': 'Serwer przyjmuje otwarcie',
  'click.title': 'Serwer przyjmuje kliknięcie',
  'bounce.title': 'Serwer przyjmuje odbicie',
  'notification.why': 'Subskrypcja tego typu wysyła takie powiadomienia; przyjmuje je każda odpowiedź 2xx.',
  'again.title': 'Serwer ponownie przyjmuje to samo powiadomienie',
  'again.why':
    'Po utraconej odpowiedzi lub błędzie Mailhook wysyła to samo powiadomienie ponownie, z tym samym webhook-id i ' +
    'wyższym webhook-attempt.',
  'reply-time.title': 'Serwer odpowiada w czasie znacznie krótszym niż {seconds} s',
  'reply-time.why':
    'Dostarczenie bez pełnej odpowiedzi w ciągu {seconds} s jest nieudane i Mailhook wysyła je ponownie.',
  'keep-alive.title': 'Serwer utrzymuje połączenia',
  'keep-alive.why': 'Nowe połączenie, a przy TLS nowe uzgadnianie przy każdym dostarczeniu, kosztuje czas obie strony.',
  'wrong-signature.title': 'Serwer odrzuca błędny podpis',
  'wrong-signature.why': 'Bez tego sprawdzenia każdy, kto zna adres, może wysyłać sfałszowane zdarzenia.',

  connected: 'Nawiązano połączenie.',
  'plain-here': 'Zwykłe HTTP, ale tylko na tej maszynie.',
  'plain-http': 'Adres zaczyna się od http://.',
  'certificate-valid': 'Certyfikat jest ważny dla tej nazwy.',
  'no-certificate': 'Nie nawiązano połączenia, na którym byłoby widać certyfikat.',
  'nothing-sent': 'Nic nie wysłano.',
  'not-asked': 'Tego żądania nie wysłano.',
  'no-replies': 'Nie było odpowiedzi.',
  'no-200': 'Nie ma odpowiedzi ze statusem 200.',
  'no-redirects': 'Żadna odpowiedź nie była przekierowaniem.',
  'is-redirect': 'Serwer odpowiedział HTTP {status}, czyli przekierowaniem.',
  'not-as-wanted': 'Serwer odpowiedział HTTP {status} zamiast {wanted}.',
  'late-reply': 'W ciągu {seconds} s nie nadeszła pełna odpowiedź.',
  'not-reached': 'Nie udało się połączyć z serwerem: {fault}.',
  'ended-early': 'Mailhook zakończył żądanie przed terminem.',
  'not-read': 'Nie udało się odczytać odpowiedzi: {fault}.',
  'is-blocked': 'Adres jest zablokowany: {fault}.',
  'slowest-ms': 'Najwolniejsza odpowiedź (z {replies}) zajęła {ms} ms.',
  'slowest-s': 'Najwolniejsza odpowiedź (z {replies}) zajęła {seconds} s.',
  'two-replies': 'To sprawdzenie wymaga co najmniej dwóch odpowiedzi.',
  reused: 'Połączenie zostało użyte ponownie.',
  'not-reused': 'Każde żądanie wymagało nowego połączenia.',
  'redirects-all': 'Adres przekierowuje.',
  'let-in': 'Żądanie bez podpisu zostało przepuszczone.',
  'let-in-signed': 'Żądanie z podpisem zostało przepuszczone.',
  'is-page': 'Serwer odpowiedział HTTP {status}, a {fault}.',
  'no-page': 'Żadna odpowiedź nie była stroną WWW.',
  unsigned: 'Ani endpoint, ani konto nie ma klucza podpisu, więc żądania nie są podpisywane.',
  'forgery-refused': 'Żądanie zostało odrzucone z HTTP {status}.',
  'forgery-taken': 'Żądanie z błędnym podpisem zostało przyjęte.',
  'test-passed': 'Odpowiedzią było {"status": "ok"}.',
  'test-not-ok': 'Odpowiedzią na {"test": "..."} nie jest {"status": "ok"}: {fault}.',
  'status-was': 'Status: {status}.',
  'event-confirmed': 'Odpowiedź jest tablicą elementów {hash, status: true} i potwierdza zdarzenie.',
  'other-hashes': 'Odpowiedź zawiera hashe, których nie było w paczce ({hashes}); są pomijane.',
  'json-type': 'Typ to JSON.',
  'no-type': 'Odpowiedź nie ma nagłówka Content-Type.',
  'other-type': 'Content-Type odpowiedzi to nie JSON.',
  'all-confirmed': 'Potwierdzono wszystkie zdarzenia ({events}).',
  'first-late': 'Serwer nie odpowiedział na czas na pierwsze żądanie.',
  'first-not-reached': 'Nie udało się połączyć z serwerem.',
  'first-refused': 'Serwer odrzuca żądania.',
  'first-not-confirmed':
    'Paczka z jednym zdarzeniem nie została potwierdzona. Najpierw należy naprawić to sprawdzenie.',

  'fix-late': 'Należy zapisać zdarzenia i od razu odpowiedzieć, a przetwarzać je później.',
  'fix-cut': 'Należy uruchomić sprawdzenie ponownie.',
  'fix-not-read': 'Należy odpowiadać w HTTP/1.1, krótką treścią i tylko tym, czego wymaga protokół.',
  'fix-blocked': 'Należy podać adres osiągalny z publicznego internetu.',
  'fix-not-connected':
    'Należy sprawdzić host i port oraz przepuścić przez zaporę żądania z internetu: wygląda na to, że ' +
    'odrzuca je bez odpowiedzi.',
  'fix-client': 'Żądania do tego adresu należy przepuszczać bez certyfikatu klienta.',
  'fix-handshake': 'Potrzebny jest TLS 1.2 lub 1.3 z typowymi szyframi i bez certyfikatu klienta.',
  'fix-https': 'Należy sprawdzić, czy ten port obsługuje https i czy serwer nie jest przeciążony.',
  'fix-certificate': 'Należy zainstalować ważny certyfikat dla tej nazwy, z całym łańcuchem.',
  'fix-name': 'Należy sprawdzić pisownię nazwy hosta i jej rekordy DNS.',
  'fix-refused': 'Należy uruchomić serwer oraz sprawdzić host, port i zaporę.',
  'fix-log': 'Przyczyny należy szukać w dzienniku serwera i stojącego przed nim serwera proxy.',
  'fix-redirect': 'Należy podać adres docelowy: Mailhook nigdy nie podąża za przekierowaniami.',
  'fix-exactly': 'Należy odpowiadać dokładnie {wanted}.',
  'fix-pass':
    'Te żądania należy przepuszczać bez logowania, tokenu CSRF i filtra adresów. Jeśli serwer sprawdza ' +
    'podpisy: musi mieć ten sam klucz podpisu co endpoint, a jeśli ten go nie ma, co konto, a podpis obejmuje ' +
    'treść w otrzymanej postaci.',
  'fix-path': 'Należy sprawdzić ścieżkę adresu oraz to, czy serwer ma dla niej trasę.',
  'fix-post': 'Serwer powinien przyjmować POST pod tym adresem.',
  'fix-gone': 'Odpowiedź 410 służy tylko do trwałego zakończenia dostarczania, bo Mailhook wyłącza wtedy endpoint.',
  'fix-large': 'Serwer i stojący przed nim serwer proxy powinny przyjmować treści o rozmiarze co najmniej 1 MiB.',
  'fix-json': 'Serwer powinien przyjmować Content-Type: application/json;charset=UTF-8.',
  'fix-many': 'Należy dopuścić więcej żądań w krótkim czasie, inaczej przy dużym ruchu żadne nie przejdzie.',
  'fix-error': 'Błąd, który wywołało to żądanie, jest w dzienniku serwera.',
  'fix-accept': 'Serwer powinien przyjąć to żądanie: wygląda dokładnie jak prawdziwe.',
  'fix-plain': 'Należy użyć adresu, który zaczyna się od https://.',
  'fix-slow': 'Należy odpowiadać od razu po zapisaniu zdarzeń, przed ich przetworzeniem. Limit to {seconds} s.',
  'fix-keep-alive': 'Należy włączyć keep-alive w serwerze lub w stojącym przed nim serwerze proxy.',
  'fix-same-secret':
    'Serwer musi mieć ten sam klucz podpisu co endpoint, a jeśli ten go nie ma, co konto, i sprawdzać treść w ' +
    'otrzymanej postaci. Przed serwerem nie może stać logowanie, token CSRF ani filtr adresów.',
  'fix-secret':
    'Jeśli serwer sprawdza podpisy: należy utworzyć klucz podpisu, żeby żądania były podpisywane. Przed ' +
    'serwerem nie może stać logowanie, token CSRF ani filtr adresów.',
  'fix-signature': 'Przede wszystkim należy sprawdzać webhook-signature i odpowiadać 401, gdy jest błędny.',
  'fix-test': 'Na test połączenia należy odpowiedzieć 200 i treścią {"status": "ok"}.',
  'fix-other-hashes': 'Należy potwierdzać zdarzenia z żądania, na które serwer odpowiada, i żadnych innych.',
  'fix-type': 'Należy odpowiadać z Content-Type: application/json.',
  'fix-duplicates':
    'Hash może wystąpić w paczce dwa razy: należy zapisać to, co nowe, pominąć to, co już jest, i ' +
    'potwierdzić oba.',
  'fix-repeat': 'Należy potwierdzać także to, co zostało zapisane wcześniej: pominąć pracę, a nie potwierdzenie.',
  'fix-again': 'Należy odpowiadać 2xx także na to, co już przyjęto: pominąć pracę, a nie odpowiedź.',
};
