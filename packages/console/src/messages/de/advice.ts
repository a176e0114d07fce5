import type { Translated } from '../catalog.ts';
import type { advice as english } from '../en/advice.ts';

const WANTED = '[{"hash": "...", "status": true}, ...]';

export const advice: Translated<typeof english> = {
  phpMessage:
    'Stellen Sie in PHP display_errors auf Off, damit Meldungen ins Fehlerprotokoll gehen, und beheben Sie den Fehler.',
  page:
    'Prüfen Sie, ob die Adresse zu Ihrem Webhook-Code führt und nicht zu einer Seite oder einem Anmeldeformular. ' +
    'Geben Sie nur das JSON aus.',
  otherText: 'Geben Sie nur das JSON aus: keine Protokollzeilen und keine Debug-Ausgaben.',
  brokenJson: 'Schreiben Sie die Antwort mit einer JSON-Bibliothek und senden Sie sie vollständig.',
  oneEach: `Antworten Sie mit HTTP 200 und einem JSON-Array ${WANTED}, mit einem Element je Ereignis.`,
  oneObject: `Setzen Sie das Objekt in ein Array: ${WANTED}.`,
  testReply:
    `Antworten Sie mit HTTP 200 und einem JSON-Array ${WANTED}, mit einem Element je Ereignis. {"status": "ok"} gilt ` +
    'nur für den Verbindungstest.',
  textItems: `Antworten Sie mit Objekten, die den Hash und den Status true enthalten: ${WANTED}.`,
  hash: `Senden Sie den Hash jedes Ereignisses unverändert zurück, als Text: ${WANTED}.`,
  statusFalse: 'Antworten Sie true für jedes Ereignis, das Sie empfangen haben, auch wenn Sie es nicht verwenden.',
  statusMissing: 'Geben Sie jedem Element "status": true.',
  statusText: 'Schreiben Sie true ohne Anführungszeichen: Nur der boolesche Wert bestätigt.',
  otherHash:
    'Senden Sie den Hash jedes Ereignisses genau so zurück, wie er ankam: nicht gekürzt, nicht in anderer ' +
    'Schreibung, nicht neu berechnet.',
  confirmAll:
    'Bestätigen Sie jedes Ereignis, das Sie gespeichert haben, auch solche, die Sie nicht verwenden oder schon ' +
    'kennen.',
  webPage:
    'Geben Sie die Adresse Ihres Webhook-Codes ein und lassen Sie Anfragen von Mailhook durch Bot-Schutz und ' +
    'Anmeldung. Mailhook kann nicht wissen, dass die Ereignisse verloren gehen.',
  redirect: 'Geben Sie die Adresse ein, auf die Ihr Server weiterleitet.',
  otherRedirect:
    'Ihr Server antwortete, als hätte Mailhook eine Seite verlangt. Lassen Sie ihn POST-Anfragen mit 200 beantworten.',
  refused: 'Ihr Server hat die Anfrage abgelehnt. Sein Protokoll zeigt, warum.',
  serverError: 'Auf Ihrem Server ist ein Fehler aufgetreten. Sein Fehlerprotokoll zeigt, warum.',
  logIn:
    'Ihr Server, ein API-Gateway oder eine Firewall verlangt eine Anmeldung. Geben Sie sie beim gespeicherten ' +
    'Endpunkt unter „Anmeldung und Header“ ein oder lassen Sie POST-Anfragen an diesen Pfad ohne Anmeldung ' +
    'durch. Wenn Ihr Server Signaturen prüft, erstellen Sie einen Signaturschlüssel.',
  logInSigned:
    'Ihr Server lehnt die Anfrage ab. Wenn er Signaturen prüft: Vergleichen Sie seinen Signaturschlüssel mit dem ' +
    'eigenen Schlüssel des Endpunkts oder, falls es keinen gibt, mit dem Ihres Kontos, prüfen Sie den Inhalt, wie ' +
    'er ankam (bevor ein Framework ihn parst), und stellen Sie die Uhr. Sonst geben Sie die Anmeldung unter ' +
    '„Anmeldung und Header“ ein oder lassen POST-Anfragen an diesen Pfad ohne Anmeldung durch.',
  notFound: 'Unter dieser Adresse gibt es keine Anwendung. Vergleichen Sie den Pfad mit der Route auf Ihrem Server.',
  noPost: 'Ihr Server nimmt hier keine POST-Anfragen an. Mailhook sendet POST.',
  tooLarge: 'Die Anfrage ist für Ihren Server zu groß. Lassen Sie ihn Inhalte von mindestens 1 MB annehmen.',
  tooMany:
    'Ihr Server begrenzt, wie oft er aufgerufen wird. Mailhook wartet und versucht es erneut; erhöhen Sie das ' +
    'Limit, wenn das oft vorkommt.',
  notSent: 'Das sagt nichts über Ihren Server. Versuchen Sie es in einer Minute noch einmal.',
  longReply: 'Die Antwort ist zu lang für Mailhook. Antworten Sie nur mit dem erwarteten JSON.',
  compression:
    'Senden Sie die Antwort unkomprimiert, oder mit gzip komprimiert und mit passendem Header Content-Encoding.',
  notHttp:
    'Der Server dieser Adresse spricht nicht korrekt HTTP. Prüfen Sie den Port und ob er http oder https verwendet.',
  invalidFormat:
    'Der Server hat geantwortet, aber nicht wie erwartet. Antworten Sie mit HTTP 200 und dem JSON {"status": "ok"}.',
  timeout: ({ deadline }) => [
    'Antworten Sie innerhalb von ',
    deadline,
    '. Speichern Sie die Anfrage, antworten Sie und verarbeiten Sie sie danach.',
  ],
  noConnection:
    'Unter dieser Adresse nimmt nichts die Verbindung an. Prüfen Sie die Adresse und ihren Port, und ob eine ' +
    'Firewall Anfragen aus dem Internet durchlässt.',
  proxy:
    'Mailhook sendet über einen Proxy, der unter dieser Adresse nichts gefunden hat. Prüfen Sie die Adresse und ' +
    'ihren Port, und ob eine Firewall Anfragen von den Adressen von Mailhook durchlässt.',
  connectionRefused: 'Dort lauscht nichts. Starten Sie Ihre Anwendung und prüfen Sie Port und Firewall.',
  connectionEnded: 'Ihr Server oder ein Proxy davor hat die Verbindung beendet. Sein Protokoll zeigt, warum.',
  noRoute: 'Das Netz dieser Adresse ist nicht erreichbar. Prüfen Sie die Adresse und die Firewall.',
  unknownName:
    'Prüfen Sie die Schreibweise des Hostnamens, und ob er zu einer öffentlichen Adresse führt. Ein neuer Name ' +
    'ist vielleicht erst nach einigen Minuten bekannt.',
  nameServer: 'Der Nameserver dieses Hosts antwortet nicht richtig. Prüfen Sie das DNS Ihrer Domain.',
  certificateExpired: 'Erneuern Sie das Zertifikat Ihres Servers.',
  selfSigned: 'Verwenden Sie ein Zertifikat einer öffentlichen Stelle, etwa von Let’s Encrypt.',
  chainIncomplete: 'Lassen Sie Ihren Server auch die Zwischenzertifikate senden (die „vollständige Kette“).',
  otherName: 'Verwenden Sie ein Zertifikat für diesen Host oder geben Sie den Host ein, den das Zertifikat nennt.',
  handshake:
    'Ihr Server hat die Verbindung angenommen, aber den TLS-Handshake nicht abgeschlossen. Prüfen Sie, ob dieser ' +
    'Port https spricht und der Server nicht überlastet ist.',
  noTls: 'Geben Sie den Port ein, der https spricht. Wenn Ihr Server keinen hat, beginnt die Adresse mit http://.',
  clientCertificate:
    'Lassen Sie Anfragen von Mailhook ohne Client-Zertifikat zu. Sie können eine Anmeldung oder eine Signatur haben.',
  otherCertificate:
    'Verwenden Sie ein Zertifikat einer öffentlichen Stelle, für Server und mit einem aktuellen Algorithmus.',
  tls: 'Prüfen Sie, ob dieser Port https spricht, mit TLS 1.2 oder neuer.',
  blocked: 'Mailhook stellt nur an öffentliche Adressen zu. Verwenden Sie eine, die aus dem Internet erreichbar ist.',
  otherwise: 'Prüfen Sie, ob die Adresse stimmt und Ihr Server läuft, und versuchen Sie es noch einmal.',
  ended:
    'Diese Antwort bedeutet, dass die Adresse dauerhaft keine Anfragen mehr möchte. Geben Sie die neue Adresse ' +
    'ein, oder schalten Sie den Endpunkt wieder ein.',
};
