import { renderInline, renderMarkdown } from '../guides/markdown.ts';
import type { Assets } from '../html/assets.ts';
import { htmlDocument, ownHeader } from '../html/document.ts';
import { coloredCode } from '../html/code-colors.ts';
import { codeBlock, codeTabs, copyText } from '../html/code-tabs.ts';
import { badge, formField } from '../html/elements.ts';
import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { fieldList, parameterList } from './fields.ts';
import type { Answer, Group, MediaType, OpenApi, Operation, Parameter } from './openapi.ts';
import { resolved } from './openapi.ts';
import { exampleOf, sampleRequest, samplesOf } from './samples.ts';

export const REFERENCE_PATH = '/docs';
const groupPath = (slug: string): string => `${REFERENCE_PATH}/${slug}`;

interface Reference {
  readonly urls: Assets['urls'];
  readonly document: OpenApi;
  readonly groups: readonly Group[];
}

/** The first page: what holds for all calls, and the list of them. */
export const overviewDocument = (reference: Reference): string =>
  frame(
    reference,
    undefined,
    html`<main id="main" class="guide">
      <h1>API reference</h1>
      ${renderMarkdown(reference.document.info.description ?? '', (target) => target)}
      <h2>The examples</h2>
      <p>They read the address of the API and a token from the environment:</p>
      <pre tabindex="0"><code>export BASE=https://api.example.com TOKEN=mhk_...</code></pre>
      <p>
        Replace the words in capitals in a path. For programs, <a href="/openapi.json">openapi.json</a> has all of this.
      </p>
      ${reference.groups.map(
        ({ name, slug, description, operations }) =>
          html`<h2><a href="${groupPath(slug)}">${name}</a></h2>
            <p>${description}</p>
            <ul class="operations">
              ${operations.map(
                (operation) =>
                  html`<li>
                    ${methodBadge(operation)}
                    <a href="${groupPath(slug)}#${operation.operationId}">${operation.summary}</a>
                    <code>${placeOf(operation)}</code>
                  </li>`,
              )}
            </ul>`,
      )}
    </main>`,
  );

/** The operations of one group, each with its fields, examples and a form to try it. */
export const groupDocument = (reference: Reference, group: Group): string =>
  frame(
    reference,
    group,
    html`<main id="main" class="reference">
      <h1>${group.name}</h1>
      <p class="lead">${group.description}</p>
      ${group.operations.some(({ isReceived }) => !isReceived) && tokenField()}
      ${group.operations.map((operation) => operationSection(reference.document, operation))}
    </main>`,
  );

const frame = ({ urls, document, groups }: Reference, current: Group | undefined, main: Markup): string =>
  htmlDocument(urls, {
    title: current === undefined ? document.info.title : `${current.name} · ${document.info.title}`,
    sheets: [urls['settings.css'], urls['guides.css'], urls['reference.css']],
    scripts: ['reference.js', 'copy.js'],
    body: html`<body class="guides">
      <a class="skip" href="#main">Skip to the text</a>
      ${ownHeader(urls, 'API reference', [
        ['/docs/guides', 'Guides'],
        [REFERENCE_PATH, 'API', true],
        ['/settings/webhooks', 'Settings'],
      ])}
      <div class="layout">
        <nav aria-label="API">
          <div class="find" data-find hidden>
            <label class="unseen" for="search">Find a call</label>
            <input id="search" type="search" placeholder="Find a call" autocomplete="off" aria-keyshortcuts="/" />
          </div>
          <ul id="found" hidden>
            ${groups.map((group) => operationLinks(group, groupPath(group.slug)))}
          </ul>
          <ul>
            <li><a href="${REFERENCE_PATH}" ${current === undefined && CURRENT}>Overview</a></li>
            ${groups.map(
              (group) =>
                html`<li><a href="${groupPath(group.slug)}" ${group === current && CURRENT}>${group.name}</a></li>
                  ${group === current && operationLinks(group)}`,
            )}
          </ul>
        </nav>
        ${main}
      </div>
    </body>`,
  });

const CURRENT = html` aria-current="page"`;

/** The search also finds a call by its method and path. */
const operationLinks = ({ operations }: Group, page = ''): Markup =>
  html`${operations.map(
    (operation) =>
      html`<li class="inner" data-words="${operation.method} ${placeOf(operation)}">
        <a href="${page}#${operation.operationId}">${operation.summary}</a>
      </li>`,
  )}`;

/** The script shows it, and sends the token with each call that is tried. It is kept nowhere. */
const tokenField = (): Markup =>
  html`<div class="card" data-token hidden>
    ${formField({
      id: 'token',
      label: 'Token for trying calls',
      hint: 'Calls are real. The token stays in this page only.',
      control: (attributes) => html`<input ${attributes} type="password" autocomplete="off" />`,
    })}
  </div>`;

const methodBadge = ({ method }: Operation): Markup =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

const placeOf = ({ isReceived, path }: Operation): string => (isReceived ? 'the address of the webhook' : path);

function operationSection(document: OpenApi, operation: Operation): Markup {
  const { operationId, summary, description, requestBody, isReceived } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) => resolved<Parameter>(document, parameter));
  const of = (place: Parameter['in']): readonly Parameter[] => parameters.filter((one) => one.in === place);
  const bodies = Object.entries(requestBody?.content ?? {});
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
    <h2 id="${operationId}-title">${summary}</h2>
    <p class="place">${methodBadge(operation)} <code>${placeOf(operation)}</code></p>
    <div class="halves">
      <div>
        ${description !== undefined && renderMarkdown(description, (target) => target)}
        ${parametersBlock(document, 'In the path', of('path'))} ${parametersBlock(document, 'Query', of('query'))}
        ${isReceived && parametersBlock(document, 'Headers', of('header'))}
        ${bodies.map(([type, media]) => bodyBlock(document, `Body, ${type}`, media))}
        ${answersBlock(document, operation)} ${!isReceived && optionalHeaders(document, of('header'))}
      </div>
      <div>
        ${
          isReceived
            ? bodies.map(([, media]) => exampleBlocks(operation, media))
            : [sampleTabs(operation), answerExample(document, operation), tryForm(operation, parameters)]
        }
      </div>
    </div>
  </section>`;
}

const parametersBlock = (document: OpenApi, title: string, parameters: readonly Parameter[]): Markup | false =>
  parameters.length > 0 &&
  html`<h3>${title}</h3>
    ${parameterList(document, parameters)}`;

const optionalHeaders = (document: OpenApi, headers: readonly Parameter[]): Markup | false =>
  headers.length > 0 &&
  html`<details>
    <summary>Optional headers</summary>
    ${parameterList(document, headers)}
  </details>`;

function bodyBlock(document: OpenApi, title: string, { schema }: MediaType): Markup | false {
  const fields = schema && fieldList(document, schema);
  return (
    fields !== undefined &&
    html`<h3>${title}</h3>
      ${fields}`
  );
}

/** Answers of success with their fields. The others say what went wrong, all in one form. */
function answersBlock(document: OpenApi, { responses }: Operation): Markup {
  const answers = Object.entries(responses).map(([status, ref]) => [status, resolved<Answer>(document, ref)] as const);
  const isGood = ([status]: (typeof answers)[number]): boolean => status.startsWith('2');
  const faults = answers.filter((answer) => !isGood(answer));
  return html`<h3>Answers</h3>
    ${answers.filter(isGood).map(
      ([status, { description, content = {} }]) =>
        html`<p>${badge('good', status)} ${renderInline(description)}</p>
          ${Object.values(content).map(({ schema }) => {
            const fields = schema && fieldList(document, schema);
            return (
              fields !== undefined &&
              html`<details open>
                <summary>Fields of the answer</summary>
                ${fields}
              </details>`
            );
          })}`,
    )}
    ${
      faults.length > 0 &&
      html`<details>
        <summary>Other answers: ${faults.map(([status]) => status).join(', ')}</summary>
        <ul class="fields">
          ${faults.map(
            ([status, { description, content = {} }]) =>
              html`<li>
                <p>${badge('plain', status)} ${renderInline(description)}</p>
                ${Object.values(content).map((media) => errorExample(media))}
              </li>`,
          )}
        </ul>
      </details>`
    }`;
}

const errorExample = (media: Parameters<typeof exampleOf>[0]): Markup =>
  html`<pre><code>${coloredCode(exampleOf(media) ?? '')}</code></pre>`;

function sampleTabs(operation: Operation): Markup {
  const label = (name: string): string => `${name} example`;
  return codeTabs({
    id: `${operation.operationId}-sample`,
    legend: 'Language of the example',
    samples: samplesOf(sampleRequest(operation)),
    label,
    copy: (name) => copyText(label(name)),
  });
}

const exampleBlock = (id: string, label: string, code: string): Markup =>
  html`<div class="code">${codeBlock({ id, label, copy: copyText(label), code })}</div>`;

function answerExample(document: OpenApi, { operationId, responses }: Operation): Content {
  const good = Object.entries(responses).find(([status]) => status.startsWith('2'));
  const [media] = Object.values(good === undefined ? {} : (resolved<Answer>(document, good[1]).content ?? {}));
  const example = media && exampleOf(media);
  return (
    good !== undefined &&
    example !== undefined &&
    html`<h3>Answer ${good[0]}</h3>
      ${exampleBlock(`${operationId}-answer`, 'example of the answer', example)}`
  );
}

const exampleBlocks = ({ operationId }: Operation, { example, examples }: MediaType): Content =>
  Object.entries(examples ?? { example: { value: example } }).map(
    ([name, { value }]) =>
      html`<h3>${name}</h3>
        ${exampleBlock(`${operationId}-${name}`, `${name} example`, exampleOf({ example: value }) ?? '')}`,
  );

/** The script shows it. */
function tryForm(operation: Operation, parameters: readonly Parameter[]): Markup {
  const { operationId, method, path } = operation;
  const { body, contentType } = sampleRequest(operation);
  const field = (name: string, control: (attributes: Markup) => Markup): Markup =>
    formField({ id: `${operationId}-try-${name}`, label: name, control });
  return html`<details class="try" data-try hidden>
    <summary>Try it</summary>
    <form data-method="${method}" data-path="${path}" ${contentType !== undefined && html`data-type="${contentType}"`}>
      ${parameters
        .filter((one) => one.in !== 'header')
        .map(({ name, required = false, in: place }) =>
          field(
            name,
            (attributes) =>
              html`<input ${attributes} name="${name}" data-in="${place}" ${required && html`required`} />`,
          ),
        )}
      ${
        body !== undefined &&
        field(
          'body',
          (attributes) =>
            html`<textarea
              ${attributes}
              name="body"
              rows="${Math.min(16, body.split('\n').length + 1)}"
              spellcheck="false"
            >
${body}</textarea>`,
        )
      }
      <button class="button primary">Send</button>
      <div aria-live="polite" data-answer></div>
    </form>
  </details>`;
}
