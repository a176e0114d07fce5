// Presses the button of a portal link's page. A page that the browser renders in advance waits until the user opens it.

const form = document.querySelector('[data-send]');
const send = () => form.requestSubmit();
if (document.prerendering) document.addEventListener('prerenderingchange', send, { once: true });
else send();
