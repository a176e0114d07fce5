/** Several events of each type, as objects of a sentence. */
export const several = {
  sent: 'sent messages',
  delivered: 'deliveries',
  deferred: 'deferrals',
  rejected: 'rejections',
  open: 'opens',
  click: 'clicks',
  bounce: 'bounces',
  complaint: 'complaints',
  unsubscribe: 'unsubscribes',
  subscribe: 'subscriptions of recipients',
  suppression: 'changes of the suppression list',
  custom: 'events of the platform',
};
