import type { Translated } from '../catalog.ts';
import type { script as english } from '../en/script.ts';

export const script: Translated<typeof english> = {
  unreachable: 'Nie udało się połączyć z Mailhook. Proszę spróbować ponownie za chwilę.',
  unreachableTyped:
    'Nie udało się połączyć z Mailhook. Wpisane dane nie przepadły: proszę spróbować ponownie za chwilę.',
  failed: 'Mailhook nie mógł teraz tego wykonać. Wpisane dane nie przepadły: proszę spróbować ponownie.',
  ended: 'Sesja wygasła. Proszę zalogować się ponownie w innym oknie i wrócić tutaj: wpisane dane nie przepadną.',
  endedPortal: 'Sesja wygasła. Proszę skopiować wpisane dane i ponownie otworzyć te ustawienia tam, gdzie poprzednio.',
  leave: 'Są niezapisane zmiany. Opuścić tę stronę bez ich zapisania?',
  live: 'Na żywo',
  paused: 'Wstrzymano: Mailhook nie odpowiada',
  copied: 'Skopiowano',
  pressToCopy: 'Ctrl+C kopiuje',
};
