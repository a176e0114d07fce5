// Shows whose settings a link opens whose token is in the fragment, which browsers send to no server. It opens no
// session: a person presses the button.

const form = document.querySelector('[data-fragment]');
const link = new URLSearchParams(location.hash.slice(1)).get('link') ?? '';

async function showAccount() {
  const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams({ link, show: '1' }) });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  document.querySelector('main').replaceWith(document.adoptNode(page.querySelector('main')));
}

// The button of the form asks for the same.
const leaveToThePerson = () => (form.elements.namedItem('link').value = link);

if (link === '') {
  form.hidden = true;
  document.querySelector('[data-incomplete]').hidden = false;
} else showAccount().catch(leaveToThePerson);
