import { EVERY_TYPE } from '@mailhook/core';
import type { DestinationStatus, ShownDestination } from '@mailhook/core';
import { shortAddress } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';

/** A place of the account that gets events, as the pages list it: the campaign webhook first. */
export interface Endpoint {
  /** A public id. */
  readonly id: string;
  readonly name: Localized | string;
  /** Undefined for a campaign webhook that is not set up. */
  readonly settings: ShownDestination | undefined;
  readonly status: DestinationStatus | undefined;
}

/** Types that a list names one by one. */
const TYPES_SHOWN = 4;

/** The types of an endpoint, as short as a list needs them. */
export function typesText({ types }: Pick<ShownDestination, 'types'>): Localized | string {
  if (types.includes(EVERY_TYPE)) return texts.endpoints.everything;
  if (types.length <= TYPES_SHOWN) return types.join(', ');
  const shown = types.slice(0, TYPES_SHOWN - 1);
  return texts.endpoints.andMore({ types: shown.join(', '), more: count(types.length - shown.length) });
}

/** What an endpoint is called, also in mails. */
export function endpointName(settings: ShownDestination): Localized | string {
  const { id, module, name } = settings;
  if (name !== null) return name;
  if (id === 'campaign') return texts.endpoints.campaign;
  const types = typesText(settings);
  return module === 'campaign' ? texts.endpoints.ofCampaigns({ types }) : texts.endpoints.ofMessages({ types });
}

/** All endpoints whose settings could be read, and the campaign webhook in any case. */
export function endpointsOf(view: Pick<Frame, 'destinations'> & Partial<Pick<Frame, 'statuses'>>): readonly Endpoint[] {
  const statuses = view.statuses && valueOf(view.statuses);
  const found = (valueOf(view.destinations) ?? []).map((settings) => ({
    id: settings.id,
    name: endpointName(settings),
    settings,
  }));
  const campaign = { id: 'campaign', name: texts.endpoints.campaign, settings: undefined };
  const all = found[0]?.id === 'campaign' ? found : [campaign, ...found];
  return all.map((one) => ({ ...one, status: statuses?.get(one.id) }));
}

/** The name of an endpoint with its address, as filters and steps show it. */
export const nameWithAddress = (settings: ShownDestination): Content => [
  endpointName(settings),
  ' → ',
  settings.address,
];

/** Names of destinations by id, `campaign` included. */
export type DestinationNames = ReadonlyMap<string, Content>;

/** Endpoints with equal names are listed with their addresses. */
export function shortNames(view: Pick<Frame, 'destinations'>): DestinationNames {
  const all = endpointsOf(view).map((one) => ({ ...one, text: String(html`${one.name}`) }));
  const isShared = (text: string): boolean => all.filter((one) => one.text === text).length > 1;
  return new Map(
    all.map(({ id, name, text, settings }) => {
      const address = settings !== undefined && isShared(text) && shortAddress(settings.address, 'muted');
      return [id, address === false ? name : [name, ' ', address]];
    }),
  );
}

/** The same with addresses. */
export const destinationNames = (view: Pick<Frame, 'destinations'>): DestinationNames =>
  new Map(endpointsOf(view).map(({ id, name, settings }) => [id, settings ? nameWithAddress(settings) : name]));
