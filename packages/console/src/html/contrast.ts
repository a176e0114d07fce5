/** Contrast of colors as WCAG 2.2 computes it. Colors are `#rrggbb`. */

type Rgb = readonly [number, number, number];

/** Least contrast of text (WCAG 2.2 AA). */
const TEXT_CONTRAST = 4.5;
const STEPS = 20;
const BLACK = '#000000';
const WHITE = '#ffffff';

const rgbOf = (color: string): Rgb =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16)) as unknown as Rgb;

const hexOf = (rgb: readonly number[]): string =>
  `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;

function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** White if it is readable on this color, else black. One of them always is. */
export const textOn = (color: string): string => (contrast(color, WHITE) >= TEXT_CONTRAST ? WHITE : BLACK);

/**
 * The color itself if it is readable as text on the ground, else the nearest mixture with black (on a light ground) or
 * white that is.
 */
export function readableOn(ground: string, color: string): string {
  const [from, to] = [rgbOf(color), rgbOf(textOn(ground))];
  const mixed = (step: number): string =>
    hexOf(from.map((channel, i) => channel + (((to[i] ?? 0) - channel) * step) / STEPS));
  for (let step = 0; step < STEPS; step += 1) if (contrast(ground, mixed(step)) >= TEXT_CONTRAST) return mixed(step);
  return hexOf(to);
}
