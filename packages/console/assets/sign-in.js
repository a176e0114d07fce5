// The sign-in page works without this script. With it, a typed token can be seen, and a chosen language counts.

import './live.js';

for (const element of document.querySelectorAll('[data-without-script]')) element.hidden = true;
const show = document.getElementById('show-token');
show.closest('[hidden]').hidden = false;
show.addEventListener('change', () => {
  document.getElementById('token').type = show.checked ? 'text' : 'password';
});
document.getElementById('language').addEventListener('change', ({ target }) => target.form.requestSubmit());
