import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';

/** What the script of a page says, as attributes. `ended`: that nobody is signed in any more. */
export const scriptTexts = (ended: Content): Markup =>
  html` data-unreachable="${texts.script.unreachable}" data-unreachable-typed="${texts.script.unreachableTyped}"
  data-failed="${texts.script.failed}" data-ended="${ended}" data-leave="${texts.script.leave}"
  data-copied="${texts.script.copied}" data-press-to-copy="${texts.script.pressToCopy}"`;
