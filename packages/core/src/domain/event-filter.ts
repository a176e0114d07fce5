import type { EventFilter } from '../contracts/event-filter.ts';
import type { ProducerEvent } from '../contracts/producer-event.ts';
import { emailDomain } from './email-domain.ts';

/** Whether a destination with the filter gets the event. */
export type Passes = (event: ProducerEvent) => boolean;

/**
 * Makes a filter's decision, once per filter. It costs one lookup per entry of the event, however many entries the
 * filter has. An event without the field does not pass `campaigns`, `tags`, `domains` and `metadata`. The other keys
 * do not judge types without their field.
 */
export function compileFilter(filter: EventFilter): Passes {
  const keys = [
    campaignsPass(filter),
    tagsPass(filter),
    domainsPass(filter),
    metadataPass(filter),
    bouncePasses(filter),
    machinePasses(filter),
    firstPasses(filter),
    labelsPass(filter),
  ].filter((passes) => passes !== undefined);
  return (event) => keys.every((passes) => passes(event));
}

function campaignsPass({ campaigns }: EventFilter): Passes | undefined {
  if (campaigns === undefined) return undefined;
  const wanted = new Set(campaigns);
  return (event) => event.module === 'campaign' && wanted.has(event.campaign);
}

function tagsPass({ tags }: EventFilter): Passes | undefined {
  if (tags === undefined) return undefined;
  const wanted = new Set(tags);
  return (event) => event.tags?.some((tag) => wanted.has(tag)) === true;
}

function domainsPass({ domains }: EventFilter): Passes | undefined {
  if (domains === undefined) return undefined;
  const exact = new Set(domains.map((one) => (one.startsWith('.') ? one.slice(1) : one)));
  const above = new Set(domains.filter((one) => one.startsWith('.')));
  return ({ email }) => {
    const domain = email === undefined ? undefined : emailDomain(email);
    if (domain === undefined) return false;
    if (exact.has(domain)) return true;
    for (let dot = domain.indexOf('.'); dot !== -1; dot = domain.indexOf('.', dot + 1))
      if (above.has(domain.slice(dot))) return true;
    return false;
  };
}

function metadataPass({ metadata }: EventFilter): Passes | undefined {
  if (metadata === undefined) return undefined;
  const wanted = Object.entries(metadata);
  return (event) => wanted.every(([name, value]) => event.metadata?.[name] === value);
}

function bouncePasses({ bounce }: EventFilter): Passes | undefined {
  if (bounce === undefined) return undefined;
  return (event) => !('type' in event) || event.type === bounce;
}

const isTracked = (event: ProducerEvent) =>
  event.module === 'campaign'
    ? event.event === 'open' || event.event === 'click'
    : event.name === 'open' || event.name === 'click';

const flag = (event: ProducerEvent, name: 'machine' | 'first'): boolean =>
  (event as { readonly machine?: boolean | undefined; readonly first?: boolean | undefined })[name] === true;

function machinePasses({ machine }: EventFilter): Passes | undefined {
  if (machine === undefined) return undefined;
  const wanted = machine === 'only';
  return (event) => !isTracked(event) || flag(event, 'machine') === wanted;
}

function firstPasses({ first }: EventFilter): Passes | undefined {
  return first === undefined ? undefined : (event) => !isTracked(event) || flag(event, 'first');
}

function labelsPass({ labels }: EventFilter): Passes | undefined {
  if (labels === undefined) return undefined;
  const wanted = new Set(labels);
  return (event) => !('label' in event) || wanted.has(event.label);
}
