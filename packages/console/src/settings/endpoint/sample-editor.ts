import { sampleFields } from '@mailhook/core';
import type { EventTypeName, ShownDestination } from '@mailhook/core';
import { actionButton, formField, hidden } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Outcome } from '../../page/outcome.ts';

/** Buttons whose form has a type and a sample. */
export const TESTS = ['test-endpoint', 'test-sample'];

/** The fields of the sample, which a test sends as they stand here. */
export function sampleEditor(
  { id, module }: ShownDestination,
  type: EventTypeName | undefined,
  draft: Outcome['draft'],
  errors: Outcome['errors'],
): Markup | false {
  if (type === undefined) return false;
  const typed = draft?.['sampleOf'] === type ? draft['sample'] : undefined;
  const faults = Object.entries(errors ?? {}).filter(([path]) => path === 'event' || path.startsWith('event.'));
  const error: Content = faults.map(([path, text], i) => [
    i > 0 && ', ',
    path !== 'event' && html`<code>${path.slice('event.'.length)}</code> `,
    text,
  ]);
  const isOpen = faults.length > 0 || typed !== undefined || draft?.['do'] === 'test-sample';
  return html`<details class="example" id="edit-sample" ${isOpen && html`open`}>
    <summary>${texts.endpoints.editSample}</summary>
    ${hidden('sampleOf', type)}${formField({
      id: `sample-fields-${id}`,
      label: html`<code>${type}</code>`,
      hint: texts.endpoints.sampleHint,
      ...(faults.length === 0 ? {} : { error }),
      control: (attributes) =>
        html`<textarea ${attributes} name="sample" rows="12" spellcheck="false">
${typed ?? JSON.stringify(sampleFields(module, type), null, 2)}</textarea>`,
    })}
    ${actionButton({
      id: `show-sample-${id}`,
      value: 'test-sample',
      text: texts.endpoints.showSample,
      busy: texts.endpoints.showSample,
    })}
  </details>`;
}
