// A page whose only script copies code.

import { copy } from './copy.js';

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', () => void copy(button));
}
