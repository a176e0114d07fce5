import type { PROBLEM_TEXTS as english } from '@mailhook/core';
import type { Translated } from '../catalog.ts';

export const problems: Translated<typeof english> = {
  'unknown-destination': 'To konto nie ma endpointu o tym identyfikatorze.',
  'unknown-subscription': 'To konto nie ma subskrypcji o tym identyfikatorze.',
  'unknown-secret': 'To konto nie ma klucza podpisu o tym identyfikatorze.',
  'unknown-own-secret': 'Ten endpoint nie ma klucza podpisu o tym identyfikatorze.',
  'unknown-token': 'To konto nie ma tokenu dostępu o tym identyfikatorze.',
  'many-tokens': 'To konto ma już {max} tokenów dostępu. Unieważnij jeden, który nie jest używany.',
  'event-log-off': 'Ta instalacja nie prowadzi dziennika przyjętych zdarzeń.',
  'unknown-entry': 'W dzienniku nie ma takiego zdarzenia: jest za stare, usunięto je albo należy do innego konta.',
  'unknown-replay': 'Ten endpoint nie ma takiego ponowienia albo skończyło się ono ponad 7 dni temu.',
  'replay-deleted': 'Ten endpoint lub jego adres usunięto, więc nic nie można do niego wysłać.',
  'replay-inactive': 'Ten endpoint jest wyłączony, więc nic nie można do niego wysłać. Najpierw go włącz.',
  'unknown-attempt': 'Nie ma takiej próby: ma ponad 7 dni albo jej miejsce w dzienniku zajęły nowsze.',
  'unknown-dead-letter':
    'Nie ma takiego niedostarczonego zdarzenia: dostarczono je ponownie albo zaniechano go ponad 7 dni temu.',
  'unknown-button': 'Na tej stronie nie ma takiego przycisku.',
  'known-address': 'To konto ma już ten adres e-mail.',
  'known-alert-webhook': 'To konto ma już webhook alertów z tym adresem.',
  'many-alert-webhooks':
    'To konto ma już {max} webhooków alertów, więcej nie można. ' + 'Najpierw należy jeden usunąć.',
  'many-addresses': 'To konto ma już adresy e-mail w największej liczbie ({max}). Najpierw należy jeden usunąć.',
  'many-secrets': 'To konto ma już klucze podpisu w największej liczbie ({max}). Najpierw należy jeden usunąć.',
  'many-destinations':
    'To konto ma już endpointy dla zdarzeń typu {type} w największej liczbie ({max}). Należy jeden zmienić ' +
    'albo usunąć.',
  'many-own-secrets': 'Ten endpoint ma już klucze podpisu w największej liczbie ({max}). Najpierw należy jeden usunąć.',
  'many-deleted':
    'W ciągu tygodnia usunięto z tego konta zbyt wiele endpointów ({count}). Zamiast tworzyć nowy, należy ' +
    'zmienić istniejący.',
  'check-running': 'Sprawdzenie tego konta jeszcze trwa. Należy poczekać na jego koniec.',
  'many-pages': 'Zbyt wiele stron tego konta czeka na siebie nawzajem (ponad {max}). Należy otwierać mniej naraz.',
  'many-token-requests':
    'Zbyt wiele żądań z tym tokenem dostępu (ponad {max} na sekundę). Wyszukiwanie liczy się jako kilka ' +
    'żądań. Proszę spróbować ponownie za chwilę.',
  'many-account-requests':
    'Zbyt wiele żądań tego konta (ponad {max} na sekundę). Wyszukiwanie liczy się jako kilka żądań. Proszę ' +
    'spróbować ponownie za chwilę.',
  'many-sign-ins':
    'Zbyt wiele nieudanych logowań z tego adresu. Należy sprawdzić token i spróbować ponownie za minutę.',
  'other-site': 'To żądanie przyszło z innej strony. Należy otworzyć samą stronę i spróbować na niej.',
  'many-checks':
    'Zbyt wiele sprawdzeń serwera w ciągu minuty. Należy naprawić to, co wskazał ostatni raport, i spróbować ' +
    'ponownie.',
  'many-tests': 'Zbyt wiele testów tego konta w ciągu minuty ({count}). Proszę spróbować ponownie za minutę.',
};
