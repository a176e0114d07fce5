import type { PROBLEM_TEXTS as english } from '@mailhook/core';
import type { Translated } from '../catalog.ts';

export const problems: Translated<typeof english> = {
  'unknown-destination': 'Ihr Konto hat keinen Endpunkt mit dieser Kennung.',
  'unknown-subscription': 'Dieses Konto hat kein Abonnement mit dieser Kennung.',
  'unknown-secret': 'Dieses Konto hat keinen Signaturschlüssel mit dieser Kennung.',
  'unknown-own-secret': 'Dieser Endpunkt hat keinen Signaturschlüssel mit dieser Kennung.',
  'unknown-token': 'Dieses Konto hat kein Zugriffstoken mit dieser Kennung.',
  'many-tokens': 'Dieses Konto hat schon {max} Zugriffstoken. Widerrufen Sie eines, das nicht verwendet wird.',
  'event-log-off': 'Diese Installation führt kein Protokoll der angenommenen Ereignisse.',
  'unknown-entry':
    'Das Protokoll hat dieses Ereignis nicht: Es ist zu alt, gelöscht oder gehört zu einem anderen Konto.',
  'unknown-replay': 'Dieser Endpoint hat keine solche Wiederholung, oder sie endete vor über 7 Tagen.',
  'replay-deleted': 'Dieser Endpunkt oder seine Adresse wurde gelöscht, deshalb kann nichts dorthin gesendet werden.',
  'replay-inactive':
    'Dieser Endpoint ist aus, deshalb kann nichts an ihn gesendet werden. Schalten Sie ihn zuerst ein.',
  'unknown-attempt':
    'Diesen Versuch gibt es nicht: Er ist über 7 Tage alt, oder neuere haben im Protokoll seinen Platz.',
  'unknown-dead-letter':
    'Diese unzustellbaren Ereignisse gibt es nicht: Sie wurden erneut zugestellt oder vor über 7 Tagen aufgegeben.',
  'unknown-button': 'Diese Seite hat keine solche Schaltfläche.',
  'known-address': 'Dieses Konto hat diese E-Mail-Adresse schon.',
  'known-alert-webhook': 'Dieses Konto hat schon einen Webhook für Warnungen mit dieser Adresse.',
  'many-alert-webhooks':
    'Dieses Konto hat schon {max} Webhooks für Warnungen, mehr gehen nicht. Löschen Sie zuerst einen.',
  'many-addresses': 'Dieses Konto hat schon {max} E-Mail-Adressen, mehr gehen nicht. Löschen Sie zuerst eine.',
  'many-secrets': 'Dieses Konto hat schon {max} Signaturschlüssel. Löschen Sie zuerst einen.',
  'many-destinations':
    'Ihr Konto hat bereits {max} Endpunkte für Ereignisse des Typs {type}, mehr sind nicht möglich. Ändern ' +
    'oder löschen Sie einen.',
  'many-own-secrets': 'Dieser Endpunkt hat schon {max} Signaturschlüssel. Löschen Sie zuerst einen.',
  'many-deleted':
    'Dieses Konto hat innerhalb einer Woche {count} Endpunkte gelöscht. Ändern Sie einen, statt einen neuen ' +
    'anzulegen.',
  'check-running': 'Eine Prüfung dieses Kontos läuft noch. Warten Sie, bis sie endet.',
  'many-pages': 'Mehr als {max} Seiten dieses Kontos warten aufeinander. Öffnen Sie weniger auf einmal.',
  'many-token-requests':
    'Zu viele Anfragen mit diesem Zugriffstoken (über {max} pro Sekunde). Eine Suche zählt als mehrere Anfragen. ' +
    'Versuchen Sie es gleich noch einmal.',
  'many-account-requests':
    'Zu viele Anfragen dieses Kontos (über {max} pro Sekunde). Eine Suche zählt als mehrere Anfragen. Versuchen ' +
    'Sie es gleich noch einmal.',
  'many-sign-ins':
    'Zu viele fehlgeschlagene Anmeldungen von dieser Adresse. Prüfen Sie das Zugriffstoken und versuchen Sie es in ' +
    'einer Minute noch einmal.',
  'other-site': 'Diese Anfrage kam von einer anderen Seite. Öffnen Sie die Seite selbst und versuchen Sie es dort.',
  'many-checks':
    'Zu viele Prüfungen in einer Minute. Beheben Sie, was der letzte Bericht nennt, und versuchen Sie es noch einmal.',
  'many-tests': 'Dieses Konto hat {count} Tests in einer Minute ausgeführt. Warten Sie eine Minute.',
};
