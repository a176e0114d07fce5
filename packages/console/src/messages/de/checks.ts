import type { CHECK_TEXTS as english } from '@mailhook/core';
import type { Translated } from '../catalog.ts';

export const checks: Translated<typeof english> = {
  'reachable.title': 'Ihr Server ist erreichbar und antwortet',
  'reachable.why': 'Ohne Antwort wird nichts zugestellt.',
  'tls.title': 'Die Verbindung ist verschlüsselt',
  'tls.why':
    'Ereignisse enthalten Adressen von Empfängern. Über einfaches HTTP kann sie unterwegs jeder lesen und ändern.',
  'no-redirect.title': 'Ihr Server antwortet selbst, ohne Weiterleitung',
  'no-redirect.why': 'Mailhook folgt keinen Weiterleitungen: Ein 3xx ist eine fehlgeschlagene Zustellung.',
  'access.title': 'Ihr Server lässt die Anfragen durch',
  'access.why':
    'Anfragen haben keine Anmeldung. Sobald der Endpunkt oder das Konto einen Signaturschlüssel hat, sind sie ' +
    'signiert, und Ihr Server muss dieselbe Signatur prüfen.',
  'web-page.title': 'Ihre Anwendung antwortet, keine Webseite',
  'web-page.why':
    'Jedes 2xx stellt eine Benachrichtigung zu. Wenn ein Bot-Schutz, ein Anmeldeformular oder eine geparkte Domain ' +
    'antwortet, bekommt die Anwendung nichts.',
  'connection-test.title': 'Ihr Server besteht den Verbindungstest',
  'connection-test.why':
    'Die Seite der Einstellungen sendet {"test": "..."} und zeigt einen Fehler, wenn die Antwort nicht {"status": ' +
    '"ok"} ist.',
  'status.title': 'Ihr Server beantwortet einen Stapel mit HTTP 200',
  'status.why':
    'Ein Stapel gilt mit genau 200 als empfangen. Jeder andere Status, auch 202 und 204, bedeutet: noch einmal senden.',
  'acknowledgement.title': 'Ihr Server bestätigt einen Stapel mit einem Ereignis, in der richtigen Form',
  'acknowledgement.why':
    'Ereignisse werden einzeln bestätigt: durch ein Element mit ihrem Hash und dem booleschen Wert true. ' +
    'Unbestätigte Ereignisse sendet Mailhook noch einmal.',
  'content-type.title': 'Ihr Server gibt an, dass die Antwort JSON ist',
  'content-type.why':
    'Mailhook liest den Inhalt unabhängig vom Header; Proxys und andere Werkzeuge richten sich nach dem Header.',
  'thousand-events.title': 'Ihr Server bestätigt einen Stapel mit 1000 Ereignissen',
  'thousand-events.why': 'Unter Last und nach einer Pause enthalten Stapel bis zu 1000 Ereignisse, etwa 200 kB JSON.',
  'duplicates.title': 'Ihr Server bestätigt einen Stapel, der einen Hash zweimal enthält',
  'duplicates.why':
    'Zwei Öffnungen in derselben Sekunde sind zweimal dasselbe Ereignis, mit einem Hash. Ein Element bestätigt ' +
    'beide.',
  'repeat.title': 'Ihr Server bestätigt denselben Stapel noch einmal',
  'repeat.why':
    'Nach einer verlorenen Antwort oder einem Fehler sendet Mailhook dieselben Ereignisse noch einmal, mit höherer ' +
    'Nummer des Versuchs, bis sie bestätigt sind oder die Versuche enden.',
  'open.title': 'Ihr Server nimmt eine Öffnung an',
  'click.title': 'Ihr Server nimmt einen Klick an',
  'bounce.title': 'Ihr Server nimmt einen Bounce an',
  'notification.why': 'Ein Abonnement dieses Typs sendet solche Benachrichtigungen; jedes 2xx nimmt eine an.',
  'again.title': 'Ihr Server nimmt dieselbe Benachrichtigung noch einmal an',
  'again.why':
    'Nach einer verlorenen Antwort oder einem Fehler sendet Mailhook dieselbe Benachrichtigung noch einmal, mit ' +
    'derselben webhook-id und höherem webhook-attempt.',
  'reply-time.title': 'Ihr Server antwortet deutlich schneller als in {seconds} Sekunden',
  'reply-time.why':
    'Ohne vollständige Antwort innerhalb von {seconds} Sekunden schlägt eine Zustellung fehl und wird wiederholt.',
  'keep-alive.title': 'Ihr Server hält Verbindungen offen',
  'keep-alive.why':
    'Eine neue Verbindung, und mit TLS ein neuer Handshake, für jede Zustellung kostet beide Seiten Zeit.',
  'wrong-signature.title': 'Ihr Server lehnt eine falsche Signatur ab',
  'wrong-signature.why': 'Ohne diese Prüfung kann jeder, der die Adresse kennt, gefälschte Ereignisse senden.',

  connected: 'Eine Verbindung kam zustande.',
  'plain-here': 'Einfaches HTTP, aber nur auf dieser Maschine.',
  'plain-http': 'Die Adresse beginnt mit http://.',
  'certificate-valid': 'Das Zertifikat ist für diesen Namen gültig.',
  'no-certificate': 'Es kam keine Verbindung zustande, die ein Zertifikat gezeigt hätte.',
  'nothing-sent': 'Nichts wurde gesendet.',
  'not-asked': 'Diese Anfrage wurde nicht gesendet.',
  'no-replies': 'Es kam keine Antwort.',
  'no-200': 'Es gibt keine Antwort mit Status 200.',
  'no-redirects': 'Keine Antwort war eine Weiterleitung.',
  'is-redirect': 'Ihr Server hat mit HTTP {status} geantwortet, einer Weiterleitung.',
  'not-as-wanted': 'Ihr Server hat mit HTTP {status} statt {wanted} geantwortet.',
  'late-reply': 'Innerhalb von {seconds} Sekunden kam keine vollständige Antwort.',
  'not-reached': 'Ihr Server war nicht erreichbar: {fault}.',
  'ended-early': 'Mailhook hat die Anfrage vor der Frist beendet.',
  'not-read': 'Die Antwort konnte nicht gelesen werden: {fault}.',
  'is-blocked': 'Die Adresse ist gesperrt: {fault}.',
  'slowest-ms': 'Die langsamste von {replies} Antworten dauerte {ms} ms.',
  'slowest-s': 'Die langsamste von {replies} Antworten dauerte {seconds} Sekunden.',
  'two-replies': 'Diese Prüfung braucht mindestens zwei Antworten.',
  reused: 'Eine Verbindung wurde wiederverwendet.',
  'not-reused': 'Jede Anfrage brauchte eine neue Verbindung.',
  'redirects-all': 'Die Adresse leitet weiter.',
  'let-in': 'Eine Anfrage ohne Signatur wurde durchgelassen.',
  'let-in-signed': 'Eine Anfrage mit Signatur wurde durchgelassen.',
  'is-page': 'Ihr Server hat mit HTTP {status} geantwortet, und {fault}.',
  'no-page': 'Keine Antwort war eine Webseite.',
  unsigned: 'Weder der Endpunkt noch das Konto hat einen Signaturschlüssel, also sind Anfragen nicht signiert.',
  'forgery-refused': 'Sie wurde mit HTTP {status} abgelehnt.',
  'forgery-taken': 'Eine Anfrage mit falscher Signatur wurde angenommen.',
  'test-passed': 'Die Antwort war {"status": "ok"}.',
  'test-not-ok': 'Die Antwort auf {"test": "..."} ist nicht {"status": "ok"}: {fault}.',
  'status-was': 'Der Status war {status}.',
  'event-confirmed': 'Die Antwort ist ein Array aus {hash, status: true} und bestätigt das Ereignis.',
  'other-hashes': 'Die Antwort nennt Hashes, die nicht im Stapel waren ({hashes}); sie werden ignoriert.',
  'json-type': 'Der Typ ist JSON.',
  'no-type': 'Die Antwort hat keinen Content-Type.',
  'other-type': 'Der Content-Type der Antwort ist nicht JSON.',
  'all-confirmed': 'Alle {events} Ereignisse wurden bestätigt.',
  'first-late': 'Ihr Server hat die erste Anfrage nicht rechtzeitig beantwortet.',
  'first-not-reached': 'Ihr Server war nicht erreichbar.',
  'first-refused': 'Ihr Server lehnt die Anfragen ab.',
  'first-not-confirmed':
    'Ein Stapel mit einem Ereignis wurde nicht bestätigt. Beheben Sie zuerst, was diese Prüfung zeigt.',

  'fix-late': 'Speichern Sie die Ereignisse und antworten Sie sofort; verarbeiten Sie sie danach.',
  'fix-cut': 'Starten Sie die Prüfung noch einmal.',
  'fix-not-read': 'Antworten Sie in HTTP/1.1 mit einem kurzen Inhalt, und nur mit dem, was das Protokoll verlangt.',
  'fix-blocked': 'Geben Sie eine Adresse ein, die aus dem öffentlichen Internet erreichbar ist.',
  'fix-not-connected':
    'Prüfen Sie Host und Port, und ob die Firewall Anfragen aus dem Internet durchlässt: Sie scheint sie zu ' +
    'verwerfen.',
  'fix-client': 'Lassen Sie Anfragen an diese Adresse ohne Client-Zertifikat zu.',
  'fix-handshake': 'Bieten Sie TLS 1.2 oder 1.3 mit üblichen Verschlüsselungen an, ohne Client-Zertifikat.',
  'fix-https': 'Prüfen Sie, ob dieser Port https spricht und Ihr Server nicht überlastet ist.',
  'fix-certificate': 'Installieren Sie ein gültiges Zertifikat für diesen Namen, mit der ganzen Kette.',
  'fix-name': 'Prüfen Sie die Schreibweise des Hostnamens und seine DNS-Einträge.',
  'fix-refused': 'Starten Sie Ihren Server und prüfen Sie Host, Port und Firewall.',
  'fix-log': 'Suchen Sie den Grund im Protokoll Ihres Servers und des Proxys davor.',
  'fix-redirect': 'Geben Sie die endgültige Adresse ein: Mailhook folgt keinen Weiterleitungen.',
  'fix-exactly': 'Antworten Sie genau mit {wanted}.',
  'fix-pass':
    'Lassen Sie diese Anfragen ohne Anmeldung, CSRF-Token und Adressfilter durch. Wenn Sie Signaturen prüfen: Ihr ' +
    'Server braucht denselben Signaturschlüssel wie der Endpunkt oder sonst wie das Konto, und die Signatur gilt ' +
    'für den Inhalt, wie er ankam.',
  'fix-path': 'Prüfen Sie den Pfad der Adresse, und ob Ihr Server eine Route für ihn hat.',
  'fix-post': 'Nehmen Sie unter dieser Adresse POST an.',
  'fix-gone':
    'Antworten Sie nur mit 410, um Zustellungen dauerhaft zu beenden, denn Mailhook schaltet den Endpunkt dann ab.',
  'fix-large': 'Lassen Sie Inhalte von mindestens 1 MiB zu, auf Ihrem Server und im Proxy davor.',
  'fix-json': 'Nehmen Sie Content-Type: application/json;charset=UTF-8 an.',
  'fix-many': 'Lassen Sie mehr Anfragen in kurzer Zeit zu, sonst kommt unter Last keine durch.',
  'fix-error': 'Suchen Sie im Protokoll Ihres Servers nach dem Fehler, den diese Anfrage ausgelöst hat.',
  'fix-accept': 'Nehmen Sie diese Anfrage an: Sie sieht genau wie eine echte aus.',
  'fix-plain': 'Verwenden Sie eine Adresse, die mit https:// beginnt.',
  'fix-slow':
    'Antworten Sie, sobald die Ereignisse gespeichert sind, vor ihrer Verarbeitung. Limit: {seconds} Sekunden.',
  'fix-keep-alive': 'Schalten Sie Keep-Alive auf Ihrem Server oder im Proxy davor ein.',
  'fix-same-secret':
    'Geben Sie Ihrem Server denselben Signaturschlüssel wie dem Endpunkt oder sonst wie dem Konto, und prüfen Sie ' +
    'den Inhalt, wie er ankam. Vor Ihrem Server darf keine Anmeldung, kein CSRF-Token und kein Adressfilter stehen.',
  'fix-secret':
    'Wenn Ihr Server Signaturen prüft: Erstellen Sie einen Signaturschlüssel, damit Anfragen signiert sind. Vor ' +
    'Ihrem Server darf keine Anmeldung, kein CSRF-Token und kein Adressfilter stehen.',
  'fix-signature': 'Prüfen Sie zuerst webhook-signature und antworten Sie mit 401, wenn sie falsch ist.',
  'fix-test': 'Beantworten Sie den Verbindungstest mit 200 und dem Inhalt {"status": "ok"}.',
  'fix-other-hashes': 'Bestätigen Sie die Ereignisse der Anfrage, die Sie beantworten, und keine anderen.',
  'fix-type': 'Antworten Sie mit Content-Type: application/json.',
  'fix-duplicates':
    'Ein Hash kann in einem Stapel zweimal vorkommen: Fügen Sie nur Neues ein, und bestätigen Sie beide.',
  'fix-repeat':
    'Bestätigen Sie auch, was Sie schon gespeichert haben: Lassen Sie die Arbeit weg, nicht die Bestätigung.',
  'fix-again': 'Antworten Sie auch auf schon Angenommenes mit 2xx: Lassen Sie die Arbeit weg, nicht die Antwort.',
};
