import type { Content, Markup } from '../html/markup.ts';

/** The result of a button. */
export interface Notice {
  readonly isGood: boolean;
  /** What the button was about, such as a destination's id. */
  readonly about: string;
  readonly text: string;
  /** The whole address of a receiver, which is shown only after a click. */
  readonly address?: string;
}

/** What only the answer to a button shows. Nothing stores it. */
export interface Once {
  readonly text: string;
  /** A new token. */
  readonly secret?: string;
  /** A link that opens once. */
  readonly link?: string;
}

/** Names by account id. */
export type Names = ReadonlyMap<string, string>;

/** A page as it is shown. */
export interface Shown {
  readonly title: string;
  readonly lead?: Content;
  /** Above the title: the list that the page belongs to. */
  readonly above?: readonly [url: string, text: string];
  /** Beside the title. */
  readonly beside?: Content;
  /** Below the title: its tabs or filters. */
  readonly tabs?: readonly Tab[];
  readonly content: Markup;
  /** Whether the page updates itself. */
  readonly isLive?: boolean;
  /** ISO 8601: what the page shows was read then. */
  readonly asOf?: string;
  readonly status?: number;
  /** Why the page can show nothing, while Redis or the store is away. */
  readonly fault?: Markup;
}

export interface Tab {
  readonly url: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** What the rows and forms of a page need to know. */
export interface PageContext {
  readonly names: Names;
  readonly nowMs: number;
  /** The address that a button returns to. */
  readonly back: string;
  readonly deadLettersDays: number;
}
