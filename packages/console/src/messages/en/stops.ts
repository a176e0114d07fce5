import { pluralIn } from '../catalog.ts';

const plural = pluralIn('en');

/** Questions before deliveries stop, and what came of them. */
export const stops = {
  cancel: 'Cancel',
  noneWaits: 'No events are waiting for this endpoint now.',
  discards: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} waiting event will be discarded. This cannot be undone.`,
      other: `${number} waiting events will be discarded. This cannot be undone.`,
    })),
  givesUp: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} waiting event will become a dead letter, which you can deliver again for 7 days.`,
      other: `${number} waiting events will become dead letters, which you can deliver again for 7 days.`,
    })),
  keeps: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} waiting event will be kept too.`,
      other: `${number} waiting events will be kept too.`,
    })),
  notKept: 'New events will not be kept from then on.',
  pauseKeeps: 'A pause keeps them.',

  offTitle: 'Switch this endpoint off?',
  pauseInstead: 'Pause for 1 day instead',
  pausing: 'Pausing…',
  switchOff: 'Switch off',
  switching: 'Switching…',
  removeTitle: 'Remove the address?',
  withoutAddress: 'Without an address, campaign events will not be delivered.',
  remove: 'Remove address',
  removing: 'Removing…',
  emptied: 'Nothing was changed. Enter an address, or press “Remove address”.',
  deleteTitle: 'Delete this endpoint?',
  deletesAll: 'Its settings and signing secrets will be deleted too.',
  delete: 'Delete endpoint',
  deleting: 'Deleting…',
  pauseTitle: 'Pause this endpoint?',
  pauseText: 'New events are kept, and sent when the pause ends. At the account’s limit, the newest are refused.',
  pauseFor: 'Pause for',
  hours: ({ hours }: { hours: number }) =>
    plural(hours, (number) => ({ one: `${number} hour`, other: `${number} hours` })),
  days: ({ days }: { days: number }) => plural(days, (number) => ({ one: `${number} day`, other: `${number} days` })),
  pause: 'Pause deliveries',

  switchedOff:
    'Switched off. New events are not kept. Waiting ones become dead letters, to deliver again once this is on.',
  removed: 'Removed. There is no address now, so no campaign events are delivered.',
  deleted: 'Deleted. Its waiting events are discarded.',

  newAddressTitle: 'Use the new address?',
  newAddress: 'New and waiting events go there from then on.',
  noNewAddress: 'The kept attempts do not show where your server redirects to. Enter the address in the settings.',
};
