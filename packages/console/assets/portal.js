// Presses the button of a portal link's page. A page that the browser renders in advance waits until the user opens it.

const form = document.querySelector('[data-send]');
const link = form.elements.namedItem('link');
// The link's token is in the fragment, which browsers send to no server.
if (link.value === '') link.value = new URLSearchParams(location.hash.slice(1)).get('link') ?? '';
const send = () => form.requestSubmit();
if (link.value === '') {
  form.hidden = true;
  document.querySelector('[data-incomplete]').hidden = false;
} else if (document.prerendering) document.addEventListener('prerenderingchange', send, { once: true });
else send();
