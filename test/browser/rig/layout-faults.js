// Runs in a page, as the body of a function. Returns a line per fault: the rule, the element, and what is wrong.
// `checks`: 'layout' or 'colors'.

const SLACK_PX = 1.5;
const found = new Map();

/** A short name of an element that a reader of the source finds. */
function nameOf(element) {
  const own = element.id
    ? `#${element.id}`
    : `${element.localName}${[...element.classList].map((one) => `.${one}`).join('')}`;
  const near = element.id ? null : element.parentElement?.closest('[id]');
  return near ? `#${near.id} ${own}` : own;
}
const excerpt = (text) => JSON.stringify(text.replace(/\s+/g, ' ').trim().slice(0, 60));
function report(rule, element, detail) {
  // Rows of a list have ids with names of the scene. One of a kind suffices.
  const key = `${rule}: ${nameOf(element).replaceAll(/[-\w]{10,}/g, '…')}`;
  if (!found.has(key)) found.set(key, `${rule}: ${nameOf(element)} ${detail}`);
}

const isUnseen = (element) =>
  element.closest('.unseen, .skip, [hidden], [aria-hidden=true] *, dialog:not([open])') !== null;
const shown = [...document.querySelectorAll('body *')].filter(
  (one) =>
    one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    one.getClientRects().length > 0 &&
    !isUnseen(one) &&
    one.closest('svg') === null,
);
const styles = new Map(shown.map((one) => [one, getComputedStyle(one)]));
const isScroller = (style, axis) => /auto|scroll/.test(style[`overflow${axis}`]);
const hasOwnText = (element) =>
  [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue.trim() !== '');
const isField = (element) => element.matches('input, select, textarea, option');

/** The nearest element above that clips this axis, or undefined. */
function clipOf(element, axis) {
  for (let above = element.parentElement; above !== null && above !== document.body; above = above.parentElement)
    if (getComputedStyle(above)[`overflow${axis}`] !== 'visible') return above;
  return undefined;
}

/** Whether its whole text can be read in another way. */
const isReadable = (element) =>
  [element, ...element.querySelectorAll('[title]')].some((one) => one.closest('[title]') !== null) ||
  element.closest('summary') !== null;

const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
function widthOf(text, { fontStyle, fontWeight, fontSize, fontFamily }) {
  canvas.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
  return canvas.measureText(text).width;
}

function checkPage() {
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) report('the page scrolls sideways', document.documentElement, `by ${wide} px`);
}

function checkCard(element) {
  const card = element.parentElement?.closest('.card');
  if (!card || styles.get(element).position === 'fixed') return;
  const clip = clipOf(element, 'X');
  if (clip !== undefined && clip !== card && card.contains(clip)) return;
  const [own, outer] = [element, card].map((one) => one.getBoundingClientRect());
  if (own.width === 0 || element.closest('.menu ul, .tip')) return;
  if (own.left < outer.left - SLACK_PX || own.right > outer.right + SLACK_PX)
    report(
      'outside of its card',
      element,
      `${excerpt(element.textContent)} by ${Math.round(Math.max(outer.left - own.left, own.right - outer.right))} px`,
    );
}

function checkCut(element) {
  const style = styles.get(element);
  if (isField(element)) {
    // One can go through the text of other fields.
    if (
      element.matches('select') &&
      element.scrollWidth > element.clientWidth + SLACK_PX &&
      !element.title &&
      element !== document.activeElement
    )
      report('text is cut', element, excerpt(element.value));
    const room = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (element.placeholder && widthOf(element.placeholder, style) > room)
      report('text is cut', element, excerpt(element.placeholder));
    return;
  }
  const isCutX = style.overflowX !== 'visible' && element.scrollWidth > element.clientWidth + SLACK_PX;
  const isCutY = style.overflowY !== 'visible' && element.scrollHeight > element.clientHeight + SLACK_PX;
  if (!isCutX && !isCutY) return;
  const scrolls = (isCutX && isScroller(style, 'X')) || (isCutY && isScroller(style, 'Y'));
  if (!scrolls && element.textContent.trim() !== '' && !isReadable(element))
    report('text is cut', element, excerpt(element.textContent));
  if (!scrolls || element.matches('dialog')) return;
  const outer = shown.find(
    (one) =>
      one !== element &&
      one.contains(element) &&
      isScroller(styles.get(one), 'Y') &&
      one.scrollHeight > one.clientHeight + SLACK_PX,
  );
  if (outer) report('a scroll inside a scroll', element, `in ${nameOf(outer)}`);
  else if (isCutY && isScroller(style, 'Y') && !/sticky|fixed/.test(style.position))
    report('a scroll inside of the page', element, `${element.clientHeight} of ${element.scrollHeight} px are seen`);
}

function checkLine(element) {
  if (!hasOwnText(element) || styles.get(element).display === 'inline') return;
  const style = styles.get(element);
  if (
    style.overflowX === 'visible' &&
    element.clientWidth > 0 &&
    element.scrollWidth > element.clientWidth + SLACK_PX &&
    !element.querySelector('.tip, .menu')
  )
    report(
      'a line is longer than its box',
      element,
      `${excerpt(element.textContent)} by ${element.scrollWidth - element.clientWidth} px`,
    );
}

/** The space between a box and what it holds, on one side. Inside of a border it does not count. */
const spaceIn = (style, side) =>
  parseFloat(style[`border${side}Width`]) > 0 ? 0 : parseFloat(style[`padding${side}`]);

/** A text and the icon, text or button beside it, in a row of boxes. */
function checkTouching(element) {
  const before = element.previousElementSibling;
  if (
    before === null ||
    element.closest('.address') ||
    !/flex|grid/.test(getComputedStyle(element.parentElement).display)
  )
    return;
  if (!hasOwnText(element) && !hasOwnText(before)) return;
  const [left, right] = [before, element].map((one) => one.getBoundingClientRect());
  if (left.width < 2 || right.width < 2 || left.bottom <= right.top || right.bottom <= left.top) return;
  const gap =
    right.left - left.right + spaceIn(getComputedStyle(before), 'Right') + spaceIn(styles.get(element), 'Left');
  if (Math.abs(gap) < 2) report('touches what is before it', element, excerpt(element.textContent));
}

/** A badge or button must be wholly inside of everything that clips it, and of the window. */
function checkHidden(element) {
  if (!element.matches('.badge, .button, button, summary, input, select')) return;
  const own = element.getBoundingClientRect();
  const clip = clipOf(element, 'X');
  const outer = clip === undefined ? { left: 0, right: innerWidth } : clip.getBoundingClientRect();
  if (element.matches('.tabs > input')) return;
  if (own.left < outer.left - SLACK_PX || own.right > outer.right + SLACK_PX)
    report(
      'hidden',
      element,
      `${excerpt(element.textContent)} at ${[own.left, own.right].map(Math.round).join(' to ')} of ${outer.right} px`,
    );
}

/** The part of a box that nothing above its element clips. */
function seenPart(element, { left, right, top, bottom }) {
  const seen = { left, right, top, bottom };
  for (let above = element.parentElement; above !== null && above !== document.body; above = above.parentElement) {
    if (styles.get(above)?.overflowX === 'visible' || !styles.has(above)) continue;
    const outer = above.getBoundingClientRect();
    seen.left = Math.max(seen.left, outer.left);
    seen.right = Math.min(seen.right, outer.right);
    seen.top = Math.max(seen.top, outer.top);
    seen.bottom = Math.min(seen.bottom, outer.bottom);
  }
  return seen;
}
const IN_FRONT = '.tip, .menu ul, .unsaved, #page-notice, kbd, .top, dialog, .panel.card, .index';

/** Texts and controls that lie over each other. */
function checkOverlaps() {
  const boxes = shown
    .filter((one) => (hasOwnText(one) || one.matches('.badge, button, input, select')) && !one.closest(IN_FRONT))
    .flatMap((one) => [...one.getClientRects()].map((box) => ({ one, box: seenPart(one, box) })))
    .filter(({ box }) => box.right - box.left > 1 && box.bottom - box.top > 1)
    .sort((a, b) => a.box.top - b.box.top);
  boxes.forEach(({ one, box }, i) => {
    for (let j = i + 1; j < boxes.length && boxes[j].box.top < box.bottom - 3; j += 1) {
      const { one: other, box: next } = boxes[j];
      const wide = Math.min(box.right, next.right) - Math.max(box.left, next.left);
      const high = Math.min(box.bottom, next.bottom) - next.top;
      const areOne = one.contains(other) || other.contains(one) || (one.htmlFor && one.htmlFor === other.id);
      if (wide > 3 && high > 3 && !areOne)
        report('lies over another', one, `${excerpt(one.textContent)} over ${excerpt(other.textContent)}`);
    }
  });
}

function checkNames() {
  const places = new Map();
  for (const link of shown.filter((one) => one.matches('a[href]'))) {
    const name = (link.getAttribute('aria-label') ?? link.textContent).replace(/\s+/g, ' ').trim();
    // Rows of one second have nothing else that a person could name.
    if (name === '' || /\d\d:\d\d:\d\d/.test(name)) continue;
    const key = `${link.closest('nav')?.ariaLabel} ${name}`;
    const other = places.get(key);
    if (other !== undefined && other.href !== link.href) report('two links have one name', link, excerpt(name));
    else places.set(key, link);
  }
}

/** Red, green, blue and opacity of a color, of any notation. */
const known = new Map();
function rgbaOf(color) {
  if (!known.has(color)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    known.set(color, [...canvas.getImageData(0, 0, 1, 1).data]);
  }
  return known.get(color);
}
const luminance = ([r, g, b]) => {
  const [red, green, blue] = [r, g, b].map((value) =>
    value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
function checkColors(element) {
  if (!hasOwnText(element) || isField(element)) return;
  let above = element;
  while (above && rgbaOf(getComputedStyle(above).backgroundColor)[3] < 255) above = above.parentElement;
  const ground = above ? rgbaOf(getComputedStyle(above).backgroundColor) : [255, 255, 255];
  const [light, dark] = [rgbaOf(styles.get(element).color), ground].map(luminance).sort((a, b) => b - a);
  const ratio = (light + 0.05) / (dark + 0.05);
  const isLarge = parseFloat(styles.get(element).fontSize) >= 24;
  if (ratio < (isLarge ? 3 : 4.5))
    report('hard to read', element, `${excerpt(element.textContent)}, contrast ${ratio.toFixed(1)}`);
}

if (checks === 'colors') shown.forEach(checkColors);
else {
  checkPage();
  for (const element of shown) {
    checkCard(element);
    checkCut(element);
    checkLine(element);
    checkTouching(element);
    checkHidden(element);
  }
  checkOverlaps();
  checkNames();
}
return [...found.values()];
