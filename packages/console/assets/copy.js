/** What a button says afterwards, in the language of the page. Pages in English only leave it to the script. */
const said = document.querySelector('[data-copied]')?.dataset;

/** Copies the text that a button with `data-copy` names. */
export async function copy(button) {
  const label = button.innerHTML;
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = said?.copied ?? 'Copied';
  } catch {
    // Without permission or without https, select the text, so that the user can copy it with the keyboard.
    getSelection()?.selectAllChildren(source);
    button.textContent = said?.pressToCopy ?? 'Press Ctrl+C';
  }
  setTimeout(() => (button.innerHTML = label), 2000);
}
