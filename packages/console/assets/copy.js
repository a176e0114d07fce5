/** Copies the text that a button with `data-copy` names. */
export async function copy(button) {
  const label = button.innerHTML;
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = 'Copied';
  } catch {
    // Without permission or without https, select the text, so that the user can copy it with the keyboard.
    getSelection()?.selectAllChildren(source);
    button.textContent = 'Press Ctrl+C';
  }
  setTimeout(() => (button.innerHTML = label), 2000);
}
