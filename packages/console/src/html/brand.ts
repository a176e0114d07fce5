import { readableOn, textOn } from './contrast.ts';

/** The name, logo and color of the settings page: Mailhook's, or those of the platform that runs it. */
export interface Brand {
  readonly name: string;
  readonly logoUrl: string | undefined;
  /** `#rrggbb`. */
  readonly color: string | undefined;
  /** Where the page links back to, unless a portal link names another address. */
  readonly url: string | undefined;
}

/** The grounds that links stand on: the darkest of the light ones and the lightest of the dark ones (`page.css`). */
const LIGHT_GROUND = '#eceef3';
const DARK_GROUND = '#232838';

/**
 * A style sheet for the brand's color, after `page.css`. Buttons have the color itself; links have it as dark or as
 * light as they need to be readable.
 */
export function brandStyles({ color }: Brand): string {
  if (color === undefined) return '';
  const button = `--button: ${color}; --button-hover: ${color}; --on-button: ${textOn(color)};`;
  const rule = (ground: string): string => {
    const accent = readableOn(ground, color);
    return `:root { ${button} --accent: ${accent}; --accent-hover: ${accent}; }`;
  };
  return `${rule(LIGHT_GROUND)}\n@media (prefers-color-scheme: dark) { ${rule(DARK_GROUND)} }\n`;
}
