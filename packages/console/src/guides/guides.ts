import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { deadlineText } from '../html/formats.ts';
import type { Markup } from '../html/markup.ts';
import { headingsOf, renderMarkdown, titleOf } from './markdown.ts';
import type { Heading } from './markdown.ts';

export const GUIDES_PATH = '/docs/guides';
/** The reference of the API is in place of the examples of `api.md`. */
export const REFERENCE_PATH = '/docs';
export const RUNBOOK_PATH = '/admin/runbook';

export interface Guide {
  readonly url: string;
  /** The text of the first heading. */
  readonly title: string;
  /** The heading above its link on the overview, which names its readers. */
  readonly group: string;
  readonly headings: readonly Heading[];
  readonly html: Markup;
}

/** The documents that the api serves. All are read at the start. Each is rendered when it is first shown. */
export interface Guides {
  /** For customers: the overview first, then the guides in its order, then the protocol. */
  readonly pages: readonly Guide[];
  /** Complete receivers and verifiers of signatures, by file name. Tests run them. */
  readonly receivers: ReadonlyMap<string, string>;
  /** For operators. */
  readonly runbook: Guide;
}

const OVERVIEW = 'guides/README.md';
const RECEIVERS = 'guides/receivers';
/** Where a document names the deadline of a reply. */
const DEADLINE = /\b5 s(\**)<!-- deadline -->/g;

/**
 * Reads the documents that the api serves.
 *
 * @param folder the folder `docs` of this repository.
 * @param deadlineMs how long a receiver has for a reply here. The documents name the default.
 * @throws when a document is missing.
 */
export function loadGuides(folder: string, deadlineMs: number): Guides {
  const deadline = deadlineText(deadlineMs);
  const read = (file: string): string =>
    readFileSync(path.join(folder, file), 'utf8').replaceAll(DEADLINE, (_, marks: string) => `${deadline}${marks}`);
  const groups = new Map([[OVERVIEW, ''], ...linkedFrom(OVERVIEW, read(OVERVIEW))]);
  const files = [...groups.keys()];
  const receivers = new Map(
    readdirSync(path.join(folder, RECEIVERS)).map((name) => [name, read(`${RECEIVERS}/${name}`)] as const),
  );
  const urls = new Map([
    ['api.md', REFERENCE_PATH],
    ['schemas/index.json', '/schemas/index.json'],
    ...files.map((file) => [file, urlOf(file)] as const),
    ...[...receivers.keys()].map((name) => [`${RECEIVERS}/${name}`, `${GUIDES_PATH}/receivers/${name}`] as const),
  ]);
  const guide = (file: string, url: string, linked: ReadonlyMap<string, string> = urls): Guide => {
    const text = read(file);
    let html: Markup | undefined;
    return {
      url,
      title: titleOf(text),
      group: groups.get(file) ?? '',
      headings: headingsOf(text),
      get html() {
        html ??= renderMarkdown(text, createLinkTo(file, linked));
        return html;
      },
    };
  };
  return {
    pages: files.map((file) => guide(file, urlOf(file))),
    receivers,
    // The operations port serves no guides.
    runbook: guide('runbook.md', RUNBOOK_PATH, new Map()),
  };
}

/** `guides/retries.md` and `protocol.md` are beside each other on the site. */
const urlOf = (file: string): string =>
  file === OVERVIEW ? GUIDES_PATH : `${GUIDES_PATH}/${path.posix.basename(file, '.md')}`;

/**
 * The Markdown files in the folder of the documents that a document links to, in its order, each with the heading above
 * the link. The image of the api has no others.
 */
const linkedFrom = (file: string, text: string): [string, string][] =>
  text
    .split(/^## /m)
    .flatMap((section, i) =>
      [...section.matchAll(/\]\(([^)#:]+\.md)\)/g)]
        .map(([, target]): [string, string] => [
          inFolder(file, target ?? ''),
          i === 0 ? '' : (section.split('\n')[0] ?? ''),
        ])
        .filter(([target]) => !target.startsWith('..')),
    );

const inFolder = (file: string, target: string): string => path.posix.join(path.posix.dirname(file), target);

const createLinkTo =
  (file: string, urls: ReadonlyMap<string, string>) =>
  (target: string): string | undefined => {
    if (/^(https?:|#)/.test(target)) return target;
    const [name = '', fragment] = target.split('#', 2);
    const url = urls.get(inFolder(file, name));
    return url === undefined || fragment === undefined || url === REFERENCE_PATH ? url : `${url}#${fragment}`;
  };
