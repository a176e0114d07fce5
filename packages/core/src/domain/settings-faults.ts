import type { Settings as AllSettings } from '../contracts/destination-settings.ts';
import { EVERY_TYPE } from '../contracts/destination-settings.ts';
import { isVersion1, typesOf } from '../contracts/event-types.ts';
import type { EventModule, EventTypeName } from '../contracts/event-types.ts';
import type { FieldError } from '../contracts/problem.ts';
import { SHAPE_LIMITS } from '../contracts/shape.ts';
import { DEFAULT_SHAPES } from './destination.ts';

type Settings = Pick<AllSettings, 'types' | 'version' | 'shape' | 'concurrency' | 'filter'>;

/** The event types that a destination gets: those of its list, or for `*` all of its module. */
export const typesIn = (module: EventModule, types: Settings['types']): readonly EventTypeName[] =>
  types.includes(EVERY_TYPE) ? typesOf(module) : types.filter((type) => type !== EVERY_TYPE);

/** What the fields of valid settings say against each other. */
export function settingsFaults(module: EventModule, settings: Settings): FieldError[] {
  const { shape, concurrency, filter } = settings;
  const faults = typeFaults(module, settings);
  const most = SHAPE_LIMITS[shape].concurrency;
  if (settings.version === 1 && shape !== DEFAULT_SHAPES[module])
    faults.push({ path: 'shape', message: `must be ${DEFAULT_SHAPES[module]} for version 1 of this module` });
  if (concurrency !== null && concurrency > most)
    faults.push({ path: 'concurrency', message: `must be at most ${most} for the shape ${shape}` });
  if (module === 'transactional_email' && filter?.campaigns !== undefined)
    faults.push({ path: 'filter.campaigns', message: 'is for the module campaign only' });
  return faults;
}

function typeFaults(module: EventModule, { types, version }: Settings): FieldError[] {
  if (types.includes(EVERY_TYPE) && types.length > 1)
    return [{ path: 'types', message: 'must be a list of types, or exactly ["*"]' }];
  if (types.includes(EVERY_TYPE) && version === 1)
    return [{ path: 'types', message: 'must list types of version 1: * needs version 2' }];
  const ofModule: readonly string[] = typesOf(module);
  return types.flatMap((type, at): FieldError[] => {
    const path = `types.${at}`;
    if (type === EVERY_TYPE) return [];
    if (!ofModule.includes(type)) return [{ path, message: `is no type of the module ${module}` }];
    if (types.indexOf(type) !== at) return [{ path, message: 'is in the list already' }];
    return version === 1 && !isVersion1(module, type) ? [{ path, message: 'needs version 2' }] : [];
  });
}
